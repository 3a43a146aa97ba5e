/** An API key's record: what it may do and until when. The key itself is not in it. */
import { Type, type Static } from "../../lib/schema.ts";
import type { ApiKeyRow } from "../../db/rows.ts";
import { isoTime, nullable, oneOf, text } from "../../http/fields.ts";
import { NullableTime, Time } from "../../http/response-fields.ts";
import { SCOPES, type Scope } from "../../http/scopes.ts";
import { refuseProblems } from "../../management/problems.ts";
import { withoutAbsent, shownRecord, type RecordKind } from "../../management/resource.ts";
import { recordSchema } from "../../management/resource-schema.ts";
import { recordStore } from "../../management/resource-store.ts";
import { expiryProblem, grantorOf, scopesProblem } from "./granting.ts";

const NAMES = Object.keys(SCOPES) as readonly Scope[];
/** What a new key may do where nothing is said. */
const DEFAULT_SCOPES: readonly Scope[] = ["payments", "reconciliation", "management"];

const MEANINGS = NAMES.map((name) => `${name}: ${SCOPES[name]}.`).join(" ");

const Create = Type.Object(
  {
    name: text(255),
    scopes: Type.Optional(
      Type.Array(oneOf(NAMES), {
        minItems: 1,
        uniqueItems: true,
        description: `Default: ${DEFAULT_SCOPES.join(", ")}. ${MEANINGS}`,
      }),
    ),
    expires_at: Type.Optional(nullable(isoTime({ description: "Default: never." }))),
  },
  { $id: "ApiKeyCreate" },
);
const Patch = Type.Partial(Create, { $id: "ApiKeyPatch" });
const FIELDS = {
  name: Type.String(),
  scopes: Type.Array(Type.Enum([...NAMES])),
  prefix: Type.String({ description: "The first characters of the key." }),
  expires_at: NullableTime,
  revoked_at: NullableTime,
  last_used_at: NullableTime,
  previous_expires_at: Type.Union([Time, Type.Null()], {
    description: "When the previous key stops working after a rotation.",
  }),
};
export const ApiKey = recordSchema("ApiKey", FIELDS);
/** With the key: after its creation and after its rotation. */
export const ApiKeyWithSecret = recordSchema("ApiKeyWithSecret", {
  ...FIELDS,
  api_key: Type.String({ description: "Shown only once." }),
});

export type ApiKeyFields = Static<typeof Patch>;

export const apiKeyKind: RecordKind<ApiKeyRow, ApiKeyFields> = {
  resource: "api-keys",
  noun: "an API key",
  access: "keys",
  schemas: { create: Create, patch: Patch, record: ApiKey, created: ApiKeyWithSecret },
  store: recordStore<ApiKeyRow>(
    "api_keys",
    ["name", "scopes", "prefix", "hash", "previous_hash", "previous_expires_at", "expires_at", "revoked_at"],
    ["last_used_at"],
  ),
  defaults: () => ({ scopes: DEFAULT_SCOPES, expires_at: null }),
  change: (_write, given) =>
    withoutAbsent({
      name: given.name,
      scopes: given.scopes,
      expires_at: typeof given.expires_at === "string" ? new Date(given.expires_at) : given.expires_at,
    }),
  async check(write, given, values, before) {
    const { expires_at: expiresAt } = given;
    // Written so that an invalid time (a 60th second) is refused too.
    const future = typeof expiresAt !== "string" || new Date(expiresAt) > write.now;
    const giver = await grantorOf(write);
    refuseProblems({
      scopes: scopesProblem(giver, values, before),
      expires_at: future ? expiryProblem(giver, values, before) : "This time must be in the future.",
    });
  },
  render: (row) => ({
    ...shownRecord(row, ["name", "scopes", "prefix"]),
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    previous_expires_at: row.previous_expires_at?.toISOString() ?? null,
  }),
  secrets: () => ({}),
};
