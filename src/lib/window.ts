/** The window of a list that http/paging.ts requests from a store. */
export interface Window {
  readonly towards: "older" | "newer";
  /** `infinity` at the start of the list, which is later than any time in PostgreSQL. */
  readonly at: Date | "infinity";
  readonly id: string;
  /** How many rows beyond the position, nearest first. */
  readonly limit: number;
}
