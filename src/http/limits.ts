/**
 * The rate limits, by name (contract: Rate limits). `admit` (access.ts) counts by them. Limits of their own: passwords
 * and codes (src/people/attempts.ts), payments per day (src/sessions/limit-store.ts), connections of an address
 * (`CONNECTIONS_PER_ADDRESS`, server.ts).
 */

export interface Limit {
  readonly count: number;
  readonly windowMs: number;
  /** What it counts by: the API key (or session token) of the call, or the client's address. */
  readonly per: "caller" | "address";
}

/** The limits of the contract (contract: Rate limits), and the service's own for everything else. */
export const LIMITS = {
  create: { count: 50, windowMs: 1_000, per: "caller" },
  cancel: { count: 50, windowMs: 1_000, per: "caller" },
  pay: { count: 1, windowMs: 1_000, per: "address" },
  verify: { count: 1, windowMs: 1_000, per: "address" },
  retrieve: { count: 1, windowMs: 1_000, per: "address" },
  iban_validate: { count: 50, windowMs: 1_000, per: "caller" },
  reconciliation: { count: 50, windowMs: 1_000, per: "caller" },
  /** The payment page is requested more often than the contract's retrieve: reloads, steps, waiting. */
  page: { count: 40, windowMs: 10_000, per: "address" },
  /** Payments begun at payment links: enough for a room full of people behind one address, not for a script. */
  payment_link: { count: 60, windowMs: 60_000, per: "address" },
  /** Enough for any import by script, but stops a runaway key. */
  management: { count: 6_000, windowMs: 60_000, per: "caller" },
  /** People read pages; their browsers fetch styles and scripts once. */
  console: { count: 600, windowMs: 60_000, per: "address" },
  /** Endpoints that anyone may call to sign in: passwords, codes, links. Enough for an office behind one address. */
  sign_in: { count: 60, windowMs: 60_000, per: "address" },
  metrics: { count: 60, windowMs: 60_000, per: "address" },
  /** A page, its script of several megabytes, and the description. */
  docs: { count: 60, windowMs: 60_000, per: "address" },
  postback: { count: 600, windowMs: 60_000, per: "address" },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

/**
 * Calls with an API key of the session's tenant are counted per key instead of per address (contract: Merchant
 * servers).
 */
export const PER_KEY_INSTEAD_OF_ADDRESS: Limit = { count: 50, windowMs: 1_000, per: "caller" };

/** Wrong keys per address before it is throttled; a key of 256 bits cannot be guessed. */
export const WRONG_KEYS: Limit = { count: 1_000, windowMs: 10_000, per: "address" };
