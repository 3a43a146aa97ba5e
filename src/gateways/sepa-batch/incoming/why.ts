/** The reason that a bank gives, in a form that may be kept. Pure. */
import { redacted } from "../../../lib/log.ts";
import type { Reason } from "../../../sepa/messages/reading/records.ts";

export interface Why {
  readonly code: string | null;
  readonly message: string | null;
}

/** Banks write what they like into the words, accounts too. */
export function whyOf(reason: Reason | null, additional: string | null): Why {
  const code = reason?.code ?? reason?.proprietary ?? null;
  const words = reason?.additionalInformation ?? additional;
  return { code, message: words === null ? null : redacted(words).slice(0, 500) };
}
