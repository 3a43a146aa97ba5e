/** The kinds of partners that post back: under which keys they send what the service understands, and how their lists are read. */

/** The known fields of a postback (contract: Postback fields); the rest is stored unchanged. */
export const MEANINGS = [
  "our_ref",
  "request_uuid",
  "lead_id",
  "status",
  "sell_price",
  "buyer_id",
  "buyer_name",
] as const;

export type FieldMeaning = (typeof MEANINGS)[number];

/** The partner's key for each meaning; a dot leads into an object inside. */
export type Keys = Readonly<Record<FieldMeaning, string>>;

export const PAGING_STYLES = ["next_url", "cursor", "page"] as const;

/** How a partner's list is read: where its items are, and how the next page is asked for. */
export interface Paging {
  /** `next_url`: the answer holds the next page's address; `cursor`: what to send for it; `page`: pages are counted. */
  readonly style: (typeof PAGING_STYLES)[number];
  /** The key of the items; empty when the answer is the list itself. */
  readonly results_key: string;
  /** The key of the next page's address or cursor; null or absent there means that it was the last page. */
  readonly next_key: string;
  readonly cursor_parameter: string;
  readonly page_parameter: string;
  readonly first_page: number;
  /** The parameter that says from when on. */
  readonly since_parameter: string;
  readonly since_format: "iso8601" | "unix_seconds";
}

interface Provider {
  readonly name: string;
  readonly keys: Keys;
  /** Whether a record may name keys of its own. */
  readonly mapped: boolean;
}

/** (contract: Postback fields) */
const OWN_KEYS = Object.fromEntries(MEANINGS.map((meaning) => [meaning, meaning])) as Keys;

/** What a record's own settings change. */
export const STANDARD_PAGING: Paging = {
  style: "next_url",
  results_key: "results",
  next_key: "next",
  cursor_parameter: "cursor",
  page_parameter: "page",
  first_page: 1,
  since_parameter: "since",
  since_format: "iso8601",
};

const PROVIDERS: readonly Provider[] = [
  { name: "generic", keys: OWN_KEYS, mapped: true },
  { name: "campaign_trigger", keys: OWN_KEYS, mapped: false },
];

export const PROVIDER_NAMES = PROVIDERS.map(({ name }) => name);

/** Null for a name that no provider has. */
export function providerNamed(name: string): Provider | null {
  return PROVIDERS.find((provider) => provider.name === name) ?? null;
}
