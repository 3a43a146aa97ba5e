/** A name as typed, if it can be used in a mail: what is typed at a payment link is not proven. Pure. */
import { NAME_CHARS_MAX } from "../sepa/messages/lengths.ts";

/** Enough for a house number or a year; a telephone number has more. */
const NAME_DIGITS_MAX = 4;
/** No line breaks, colons or @, and no invisible characters. */
const NAME = /^[\p{L}\p{M}\p{Nd} .,&+()'’/-]+$/u;
/** Texts that mail readers turn into links. */
const HOST_NAME = /\.[\p{L}\p{M}\p{Nd}]{2}/u;

/** Null for a name that could turn the mail into an advertisement, or lead its reader elsewhere. */
export function mailableName(typed: string): string | null {
  const name = typed.trim();
  const digits = name.match(/\p{Nd}/gu)?.length ?? 0;
  const isName = name.length <= NAME_CHARS_MAX && digits <= NAME_DIGITS_MAX && NAME.test(name);
  return isName && !HOST_NAME.test(name) ? name : null;
}
