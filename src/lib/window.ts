/** What a page of a list reads: the window that http/paging.ts asks a store for. */
export interface Window {
  readonly towards: "older" | "newer";
  /** `infinity` at the start of the list: what PostgreSQL takes for later than all. */
  readonly at: Date | "infinity";
  readonly id: string;
  /** How many rows beyond the position, nearest first. */
  readonly limit: number;
}
