/** A name as it was typed, where it can stand in a mail: of what is typed at a payment link nothing is proven. Pure. */
import { NAME_CHARS_MAX } from "../sepa/messages/lengths.ts";

/** A house or a year of foundation; a telephone number has more. */
const NAME_DIGITS_MAX = 4;
/** No line break, colon or @, and nothing invisible. */
const NAME = /^[\p{L}\p{M}\p{Nd} .,&+()'’/-]+$/u;
/** Texts that mail readers turn into links. */
const HOST_NAME = /\.[\p{L}\p{M}\p{Nd}]{2}/u;

/** Null for what could make the mail an advertisement, or send its reader elsewhere. */
export function mailableName(typed: string): string | null {
  const name = typed.trim();
  const digits = name.match(/\p{Nd}/gu)?.length ?? 0;
  const isName = name.length <= NAME_CHARS_MAX && digits <= NAME_DIGITS_MAX && NAME.test(name);
  return isName && !HOST_NAME.test(name) ? name : null;
}
