/** What the service refuses, in the person's language. */
import type { RefusalKind } from "../../refusals.ts";

export interface RefusalTexts {
  /** By the refusal's code; null for English, which refusals.ts has. */
  readonly refusals: Readonly<Record<RefusalKind, string>> | null;
  /**
   * Translations of the sentences that replace a code's, and of those at a field; {braces} stand for what differs.
   * English has those that name a field or an action of the API.
   */
  readonly faults: Readonly<Record<string, string>>;
}
