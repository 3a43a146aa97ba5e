/** The address to which a message was handed over, as stored. */
import { sealedColumn } from "../db/sealed-column.ts";
import type { Keyring } from "../lib/keyring.ts";

interface Parts {
  readonly keys: Keyring;
}

const contextOf = (id: string) => `messages.recipient:${id}`;

export function sealRecipient({ keys }: Parts, tenant: number, id: string, address: string): Buffer {
  return keys.seal(tenant, contextOf(id), address);
}

export function openRecipient(
  { keys }: Parts,
  tenant: number,
  id: string,
  sealed: Buffer | null,
): string | null {
  return sealed === null ? null : keys.open(tenant, contextOf(id), sealed).toString();
}

export const SEALED_MESSAGES = [
  sealedColumn("messages", "recipient", { id: "uuid" }, ({ id }) => contextOf(id)),
];
