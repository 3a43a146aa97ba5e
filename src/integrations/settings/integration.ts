/**
 * An integration: a partner that sends postbacks, with their URL and secret, and the list from which lost ones are
 * read.
 */
import { isDeepStrictEqual } from "node:util";
import { Type, type Static } from "../../lib/schema.ts";
import type { IntegrationRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { nullable, oneOf, text } from "../../http/fields.ts";
import { NullableText, NullableTime } from "../../http/response-fields.ts";
import { refuseProblems } from "../../management/problems.ts";
import {
  withoutAbsent,
  shownRecord,
  type NewRecord,
  type RecordKind,
  type Write,
} from "../../management/resource.ts";
import { recordSchema } from "../../management/resource-schema.ts";
import { recordStore, type Settable } from "../../management/resource-store.ts";
import { addressProblem } from "../../management/web-address.ts";
import {
  KNOWN_FIELDS,
  PAGING_STYLES,
  PROVIDER_NAMES,
  providerNamed,
  STANDARD_PAGING,
  type Paging,
} from "./providers.ts";
import { newToken, openToken } from "./token.ts";

const RETENTION_DAYS_DEFAULT = 90;
const RETENTION_DAYS_MAX = 3_650;

/** Characters allowed in an HTTP header. */
const HEADER_TEXT = {
  pattern: "^[\\x21-\\x7e]+$",
  message: "Must be printable characters without spaces.",
} as const;
const Key = Type.String({ maxLength: 255, pattern: "\\S", message: "This field may not be blank." });
const Parameter = Type.String({
  pattern: "^[A-Za-z0-9_.\\[\\]-]{1,100}$",
  message: "Must be the name of a query parameter.",
});

const PagingChange = Type.Object(
  {
    style: Type.Optional(oneOf(PAGING_STYLES)),
    results_key: Type.Optional(Type.String({ maxLength: 255 })),
    next_key: Type.Optional(Key),
    cursor_parameter: Type.Optional(Parameter),
    page_parameter: Type.Optional(Parameter),
    first_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
    since_parameter: Type.Optional(Parameter),
    since_format: Type.Optional(oneOf(["iso8601", "unix_seconds"])),
  },
  { description: "How the read URL is paged. Omitted fields keep their value." },
);

const Create = Type.Object(
  {
    name: text(255),
    provider: Type.Optional(oneOf(PROVIDER_NAMES, { description: "Default: generic." })),
    provider_active: Type.Optional(Type.Boolean()),
    active: Type.Optional(Type.Boolean()),
    key_mapping: Type.Optional(
      Type.Object(Object.fromEntries(KNOWN_FIELDS.map((meaning) => [meaning, Type.Optional(Key)])), {
        additionalProperties: false,
        message: "Unknown value.",
        description:
          "Maps our field names to the partner's keys; a dot descends into an object. Default: the same name.",
      }),
    ),
    postback_secret: Type.Optional(
      nullable(
        Type.String({
          minLength: 8,
          maxLength: 255,
          pattern: "^[\\x21-\\x7e]+$",
          message: "Must be 8 to 255 printable characters without spaces.",
          description: "Postbacks must contain it in X-Service-Secret. Never shown.",
        }),
      ),
    ),
    read_url: Type.Optional(
      nullable(text(2_000, { description: "The partner's list of postbacks, https." })),
    ),
    read_token: Type.Optional(
      nullable(
        Type.String({
          ...HEADER_TEXT,
          minLength: 1,
          maxLength: 4_000,
          description: "Sent to the read URL as a bearer token. Never shown.",
        }),
      ),
    ),
    read_paging: Type.Optional(PagingChange),
    payload_retention_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RETENTION_DAYS_MAX,
        description: `Days that bodies are kept. Default: ${RETENTION_DAYS_DEFAULT}.`,
      }),
    ),
  },
  { $id: "IntegrationCreate" },
);
const Patch = Type.Partial(Create, { $id: "IntegrationPatch" });

/** With its URL, which is a credential: in responses, not in the audit log. */
export const Integration = recordSchema("Integration", {
  name: Type.String(),
  provider: Type.String(),
  provider_active: Type.Boolean(),
  active: Type.Boolean(),
  key_mapping: Type.Record(Type.String(), Type.String()),
  postback_url: Type.String({ description: "Anyone who knows it can send postbacks." }),
  has_postback_secret: Type.Boolean(),
  read_url: NullableText,
  has_read_token: Type.Boolean(),
  read_paging: Type.Object({
    style: Type.String(),
    results_key: Type.String(),
    next_key: Type.String(),
    cursor_parameter: Type.String(),
    page_parameter: Type.String(),
    first_page: Type.Integer(),
    since_parameter: Type.String(),
    since_format: Type.String(),
  }),
  payload_retention_days: Type.Integer(),
  last_read_at: NullableTime,
  last_read_error: NullableText,
});

type Fields = Static<typeof Patch>;

const SHOWN = [
  "name",
  "provider",
  "provider_active",
  "active",
  "key_mapping",
  "read_url",
  "read_paging",
  "payload_retention_days",
] as const;

export const integrationKind: RecordKind<IntegrationRow, Fields> = {
  resource: "integrations",
  noun: "an integration",
  access: "settings",
  schemas: { create: Create, patch: Patch, record: Integration, created: Integration },
  store: recordStore<IntegrationRow>(
    "integrations",
    [...SHOWN, "token_hash", "token_sealed", "postback_secret", "read_token", "read_due_at", "read_since"],
    ["last_read_at", "last_read_error"],
  ),
  defaults: (write) => ({
    provider: "generic",
    provider_active: true,
    active: true,
    key_mapping: {},
    read_paging: pagingOf(null),
    payload_retention_days: RETENTION_DAYS_DEFAULT,
    ...tokenColumns(write),
  }),
  change: (write, given, before) => {
    const values = withoutAbsent({
      name: given.name,
      provider: given.provider,
      provider_active: given.provider_active,
      active: given.active,
      key_mapping: given.key_mapping,
      read_url: given.read_url,
      read_paging: given.read_paging && { ...pagingOf(before), ...withoutAbsent(given.read_paging) },
      payload_retention_days: given.payload_retention_days,
      postback_secret: sealedOrNull(write, "postback_secret", given.postback_secret),
      read_token: sealedOrNull(write, "read_token", given.read_token),
    });
    const listChanges = isOtherList(before, values);
    return {
      ...values,
      // After a change of the read URL the result should be visible soon.
      ...(listChanges || given.read_token ? { read_due_at: null } : {}),
      // The progress and errors of the former address do not apply to the new one.
      ...(listChanges ? { read_since: null } : {}),
    };
  },
  check,
  render: (row) => ({
    ...shownRecord(row, SHOWN),
    has_postback_secret: row.postback_secret !== null,
    has_read_token: row.read_token !== null,
    last_read_at: row.last_read_at?.toISOString() ?? null,
    last_read_error: row.last_read_error,
  }),
  secrets: () => ({}),
  answered: (deps, row) => ({ postback_url: postbackUrl(deps, row) }),
};

/** The URL for the partner's postbacks. */
export function postbackUrl(
  { keys, publicUrl }: Pick<Deps, "keys" | "publicUrl">,
  { tenant, id, token_sealed }: Pick<IntegrationRow, "tenant" | "id" | "token_sealed">,
): string {
  return `${publicUrl}/webhooks/integrations/${openToken(keys, tenant, id, token_sealed)}/`;
}

/** The columns of a new token; the former one becomes invalid. */
export function tokenColumns({
  deps,
  tenant,
  id,
}: NewRecord): Pick<IntegrationRow, "token_hash" | "token_sealed"> {
  const { hash, sealed } = newToken(deps, tenant, id);
  return { token_hash: hash, token_sealed: sealed };
}

type Secret = "postback_secret" | "read_token";

/** The secret as the partner knows it; null if the record has none. */
export function openSecret(
  { keys }: Pick<Deps, "keys">,
  tenant: number,
  id: string,
  which: Secret,
  sealed: Buffer | null,
): string | null {
  return sealed === null ? null : keys.open(tenant, secretContext(which, id), sealed).toString();
}

function sealedOrNull({ deps, tenant, id }: Write, which: Secret, given: string | null | undefined) {
  return given ? deps.keys.seal(tenant, secretContext(which, id), given) : given === null ? null : undefined;
}

/** The context with which a secret is sealed. */
export function secretContext(which: Secret, id: string): string {
  return `integrations.${which}:${id}`;
}

function pagingOf(before: IntegrationRow | null): Paging {
  return { ...STANDARD_PAGING, ...(before?.read_paging as Partial<Paging> | undefined) };
}

/** Whether another list is read, or the same one in another way. */
function isOtherList(
  before: IntegrationRow | null,
  {
    read_url = before?.read_url,
    read_paging = pagingOf(before),
  }: Partial<Pick<IntegrationRow, "read_url" | "read_paging">>,
): boolean {
  return read_url !== before?.read_url || !isDeepStrictEqual(read_paging, pagingOf(before));
}

function check(
  { deps }: Write,
  given: Fields,
  values: Settable<IntegrationRow>,
  before: IntegrationRow | null,
): void {
  const plainHttp = deps.allowPrivateTargets ? "anywhere" : "nowhere";
  refuseProblems({
    key_mapping: mappingProblem(values),
    read_url: given.read_url ? addressProblem(given.read_url, plainHttp) : null,
    read_token: tokenProblem(given, values, before),
  });
}

function mappingProblem({ provider, key_mapping }: Settable<IntegrationRow>): string | null {
  const mapped = Object.keys(key_mapping as object).length > 0;
  return mapped && providerNamed(provider)?.mapped !== true
    ? `The provider ${provider} defines its own keys.`
    : null;
}

/** A write-only token must not leak to another server. */
function tokenProblem(
  given: Fields,
  values: Settable<IntegrationRow>,
  before: IntegrationRow | null,
): string | null {
  if (before === null || before.read_token === null || given.read_token !== undefined) return null;
  if (values.read_url === null || originOf(values.read_url) === originOf(before.read_url)) return null;
  return "Enter the read token again: it is sent only to the server that it was entered for.";
}

function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null;
}
