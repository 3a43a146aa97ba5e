/**
 * The kinds of partners that send postbacks: the keys of the fields that the service understands, and how their lists
 * are read.
 */

/** The known fields of a postback (contract: Postback fields); the rest is stored unchanged. */
export const KNOWN_FIELDS = [
  "our_ref",
  "request_uuid",
  "lead_id",
  "status",
  "sell_price",
  "buyer_id",
  "buyer_name",
] as const;

export type KnownField = (typeof KNOWN_FIELDS)[number];

/** The partner's key for each meaning; a dot leads into a nested object. */
export type Keys = Readonly<Record<KnownField, string>>;

export const PAGING_STYLES = ["next_url", "cursor", "page"] as const;

/** How a partner's list is read: where its items are, and how the next page is requested. */
export interface Paging {
  /**
   * `next_url`: the response contains the next page's address; `cursor`: a value to send for it; `page`: pages are
   * counted.
   */
  readonly style: (typeof PAGING_STYLES)[number];
  /** The key of the items; empty when the response is the list itself. */
  readonly results_key: string;
  /** The key of the next page's address or cursor; null or absent there means the last page. */
  readonly next_key: string;
  readonly cursor_parameter: string;
  readonly page_parameter: string;
  readonly first_page: number;
  /** The parameter for the start time. */
  readonly since_parameter: string;
  readonly since_format: "iso8601" | "unix_seconds";
}

interface Provider {
  readonly name: string;
  readonly keys: Keys;
  /** Whether a record may define its own keys. */
  readonly mapped: boolean;
}

/** (contract: Postback fields) */
const OWN_KEYS = Object.fromEntries(KNOWN_FIELDS.map((meaning) => [meaning, meaning])) as Keys;

/** Overridden by a record's own settings. */
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

/** Null for an unknown name. */
export function providerNamed(name: string): Provider | null {
  return PROVIDERS.find((provider) => provider.name === name) ?? null;
}
