/** A gateway record: a merchant's account at a payment gateway, with its sealed credentials. */
import { Type, type Static } from "../../lib/schema.ts";
import type { GatewayRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { credentialsContext, openCredentials } from "../calling.ts";
import type { Adapter } from "../gateway.ts";
import { nullable, oneOf, optionalText, text } from "../../http/fields.ts";
import { NullableText } from "../../http/response-fields.ts";
import { REMITTANCE_CHARS_MAX } from "../../sepa/messages/lengths.ts";
import { writtenCreditorIdentifier } from "../../sepa/creditor-identifier.ts";
import { isDocumentationIban, normaliseIban } from "../../sepa/iban.ts";
import { dictionaryProblem } from "../../management/dictionary.ts";
import { refuseProblems } from "../../management/problems.ts";
import { withoutAbsent, shownRecord, type RecordKind, type Write } from "../../management/resource.ts";
import { Dictionary, recordSchema } from "../../management/resource-schema.ts";
import { recordStore, type Settable } from "../../management/resource-store.ts";
import { identifierProblem } from "../../mandates/creditor.ts";
import { identifierOfTenant } from "./creditor-store.ts";
import { schemaProblems } from "./schema-problems.ts";

const COMPLETED_EVENT_AT = ["acceptance", "settlement"] as const;

const Create = Type.Object(
  {
    name: text(255),
    adapter: text(100, { description: "A name that gateway-adapters lists. It cannot be changed." }),
    descriptor: Type.Optional(
      nullable(optionalText(REMITTANCE_CHARS_MAX, { description: "Bank statement descriptor." })),
    ),
    test_mode: Type.Optional(
      Type.Boolean({
        description: "Default true in staging, where it cannot be false, and false in production.",
      }),
    ),
    settings: Type.Optional(Dictionary),
    credentials: Type.Optional(nullable(Dictionary)),
    completed_event_at: Type.Optional(
      oneOf(COMPLETED_EVENT_AT, {
        description:
          "When payment_session.completed is sent for a payment that is accepted first and settled later. Fixed for a payment when it is submitted. Default: settlement where debits can fail for days (sepa_batch), else acceptance.",
      }),
    ),
    acceptance_after_debits: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: 1_000,
          description:
            "With completed_event_at settlement: sent at acceptance all the same for customers with so many settled debits, none of which came back. Such a payment can still fail after the goods are gone. Default null: never.",
        }),
      ),
    ),
    active: Type.Optional(Type.Boolean()),
  },
  { $id: "GatewayCreate" },
);
const Patch = Type.Partial(Create, { $id: "GatewayPatch" });
const Gateway = recordSchema("Gateway", {
  name: Type.String(),
  adapter: Type.String(),
  descriptor: NullableText,
  test_mode: Type.Boolean(),
  settings: Dictionary,
  completed_event_at: Type.Enum([...COMPLETED_EVENT_AT]),
  acceptance_after_debits: nullable(Type.Integer()),
  active: Type.Boolean(),
});

type Fields = Static<typeof Patch>;

const SHOWN = [
  "name",
  "adapter",
  "descriptor",
  "test_mode",
  "settings",
  "completed_event_at",
  "acceptance_after_debits",
  "active",
] as const;

export const gatewayKind: RecordKind<GatewayRow, Fields> = {
  resource: "gateways",
  noun: "a gateway",
  access: "settings",
  schemas: { create: Create, patch: Patch, record: Gateway, created: Gateway },
  store: recordStore<GatewayRow>("gateways", [...SHOWN, "credentials", "former_creditors"]),
  defaults: ({ deps }) => ({
    test_mode: deps.environment === "staging",
    settings: {},
    former_creditors: [],
    active: true,
  }),
  change: (write, given, before) =>
    withoutAbsent({
      name: given.name,
      adapter: given.adapter,
      descriptor: given.descriptor,
      test_mode: given.test_mode,
      settings: given.settings && written(given.settings),
      former_creditors:
        given.settings && before ? formerCreditors(before, written(given.settings)) : undefined,
      credentials: given.credentials ? sealed(write, given.credentials) : given.credentials,
      completed_event_at:
        given.completed_event_at ?? (before === null ? completedEventAt(write, given) : undefined),
      acceptance_after_debits: given.acceptance_after_debits,
      active: given.active,
    }),
  check,
  render: (row) => shownRecord(row, SHOWN),
  secrets: () => ({}),
};

type Settings = Readonly<Record<string, unknown>>;

/** Keeps the account's former creditor: mandates with it are amended at their next collection. */
function formerCreditors({ settings, former_creditors }: GatewayRow, given: Settings): readonly string[] {
  const was = identityOf(settings as Settings);
  if (was === null || was === identityOf(given)) return former_creditors;
  return [...new Set([...former_creditors, was])];
}

/** Joined by spaces, which identifiers do not contain, so that different creditors give different texts. */
function identityOf({ creditor_identifier: identifier, creditor_name: name }: Settings): string | null {
  return typeof identifier === "string" && typeof name === "string" ? `${identifier} ${name}` : null;
}

/** Normalises the creditor's identifier and IBAN to the form used in files. Validation refuses invalid ones. */
function written(settings: Settings): Settings {
  const { creditor_identifier: identifier, creditor_iban: iban } = settings;
  return {
    ...settings,
    ...(typeof identifier === "string" ? { creditor_identifier: writtenCreditorIdentifier(identifier) } : {}),
    ...(typeof iban === "string" ? { creditor_iban: normaliseIban(iban) } : {}),
  };
}

/** The default of `completed_event_at`: settlement, where an accepted payment can still fail. */
function completedEventAt({ deps }: Write, { adapter = "" }: Fields): (typeof COMPLETED_EVENT_AT)[number] {
  const capabilities = deps.adapters.get(adapter)?.capabilities;
  return capabilities?.asynchronous === true && !capabilities.testModeOnly ? "settlement" : "acceptance";
}

function sealed({ deps, tenant, id }: Write, credentials: object): Buffer {
  return deps.keys.seal(tenant, credentialsContext(id), JSON.stringify(credentials));
}

async function check(
  write: Write,
  given: Fields,
  values: Settable<GatewayRow>,
  before: GatewayRow | null,
): Promise<void> {
  const adapter = write.deps.adapters.get(values.adapter);
  const account = adapter === undefined ? {} : accountProblems(adapter, given, before);
  refuseProblems({
    adapter: adapterProblem(adapter, values, before),
    test_mode: testModeProblem(write, adapter, values) ?? (await creditorProblem(write, values)),
    ...account,
  });
}

/** (contract: Live mode) */
async function creditorProblem({ tx, tenant }: Write, { test_mode, settings }: Settable<GatewayRow>) {
  if (test_mode) return null;
  const iban = (settings as Settings)["creditor_iban"];
  if (typeof iban === "string" && isDocumentationIban(normaliseIban(iban)))
    return "creditor_iban is an example from documentation: a live account needs its own.";
  return identifierProblem(test_mode, settings as Settings, await identifierOfTenant(tx, tenant));
}

function adapterProblem(
  adapter: Adapter | undefined,
  values: Settable<GatewayRow>,
  before: GatewayRow | null,
): string | null {
  if (before !== null && before.adapter !== values.adapter)
    return "The adapter of a gateway cannot be changed.";
  return adapter === undefined ? "Unknown adapter." : null;
}

/** (contract: Live mode) */
function testModeProblem({ deps }: Write, adapter: Adapter | undefined, { test_mode }: Settable<GatewayRow>) {
  if (test_mode) return null;
  if (deps.environment === "staging") return "In staging every gateway is in test mode.";
  return adapter?.capabilities.testModeOnly === true ? "This adapter runs in test mode only." : null;
}

/** Validates a new record completely, an update only in the fields that it changes. */
function accountProblems(adapter: Adapter, given: Fields, before: GatewayRow | null) {
  const settings = given.settings ?? (before === null ? {} : null);
  const credentials = given.credentials === undefined && before !== null ? null : (given.credentials ?? {});
  const settingsProblem =
    settings === null
      ? null
      : (dictionaryProblem(settings) ??
        schemaProblems(adapter.settingsSchema, settings) ??
        adapter.settingsProblems?.(settings) ??
        null);
  return {
    settings: settingsProblem,
    credentials:
      credentials === null
        ? settingsProblem === null
          ? movedProblem(adapter, settings, before)
          : null
        : (dictionaryProblem(credentials) ?? schemaProblems(adapter.credentialsSchema, credentials)),
  };
}

/**
 * The fields of a form that leaves those credentials empty that stay as they are: with the stored ones, unless the
 * settings would send these to another server.
 */
export function withStoredCredentials(
  { adapters, keys }: Pick<Deps, "adapters" | "keys">,
  given: Fields,
  before: GatewayRow,
): Fields {
  const { credentials, settings = before.settings as Settings } = given;
  if (!credentials || isOtherServer(adapters.get(before.adapter), settings, before)) return given;
  return { ...given, credentials: { ...storedCredentials(keys, before), ...credentials } };
}

/** None where they cannot be opened, as after the loss of a master key: then they can only be replaced. */
function storedCredentials(keys: Deps["keys"], row: GatewayRow): Readonly<Record<string, unknown>> {
  try {
    return openCredentials(keys, row);
  } catch {
    return {};
  }
}

/** Refuses to move write-only credentials to another server, which could leak them. */
function movedProblem(adapter: Adapter, settings: Settings | null, before: GatewayRow | null): string | null {
  if (settings === null || before === null || before.credentials === null) return null;
  if (!isOtherServer(adapter, settings, before)) return null;
  return "Enter the credentials again: they are sent only to the server, port, user and host key that they were entered for.";
}

/** Whether the settings send the credentials to another server than the stored ones. */
function isOtherServer(adapter: Adapter | undefined, settings: Settings, before: GatewayRow): boolean {
  const server = adapter?.credentialsServer?.(settings) ?? null;
  return server !== null && server !== adapter?.credentialsServer?.(before.settings as Settings);
}
