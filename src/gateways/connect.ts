/** Opens a stored gateway record as a gateway that can be called. */
import { must } from "../lib/assert.ts";
import type { Keyring } from "../lib/keyring.ts";
import type { Adapters, Gateway } from "./gateway.ts";

export interface GatewayRecord {
  readonly tenant: number;
  readonly id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Sealed. */
  readonly credentials: Buffer | null;
}

/** What sealed credentials are bound to. */
export function credentialsContext(gatewayId: string): string {
  return `gateways.credentials:${gatewayId}`;
}

/** @throws Error when this version of the service does not know the adapter, or the key of the credentials is gone. */
export function connect(adapters: Adapters, keys: Keyring, record: GatewayRecord): Gateway {
  const adapter = must(adapters.get(record.adapter), `adapter ${record.adapter}`);
  return adapter.connect({
    tenant: record.tenant,
    gatewayId: record.id,
    settings: record.settings,
    credentials: openCredentials(keys, record),
  });
}

function openCredentials(keys: Keyring, record: GatewayRecord): Readonly<Record<string, unknown>> {
  if (record.credentials === null) return {};
  const plain = keys.open(record.tenant, credentialsContext(record.id), record.credentials);
  return JSON.parse(plain.toString()) as Readonly<Record<string, unknown>>;
}
