/** How values are shown: money, times, states, accounts. Pure. */
import { DAY_MS } from "../../lib/clock.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";
import { icon } from "./icons.ts";

/** What a state means to a person. */
export type Meaning = "good" | "waiting" | "attention" | "bad";

/** A state as text, with the colour of its meaning. */
export function badge(meaning: Meaning, text: Html | string): Html {
  return html`<span class="badge ${meaning}">${text}</span>`;
}

/** The meaning of each state of a record. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  approved: "good",
  active: "good",
  ACTIVE: "good",
  COMPLETED: "good",
  delivered: "good",
  sent: "good",
  applied: "good",
  paid: "good",
  settled: "good",
  declined: "bad",
  charged_back: "bad",
  returned: "bad",
  CHARGEDBACK: "bad",
  FAILED: "bad",
  failed: "bad",
  rejected: "bad",
  exhausted: "bad",
  refused: "bad",
  PAST_DUE: "attention",
  failing: "attention",
  retry: "attention",
  to_approve: "attention",
  ready: "attention",
  open: "attention",
  unmatched: "attention",
  unclear: "attention",
};

export function meaningOf(state: string): Meaning {
  return MEANINGS[state] ?? "waiting";
}

/** The state of a payment, an order, a session, a subscription or a mandate. */
export function stateBadge({ texts }: Pick<Words, "texts">, state: string): Html {
  return badge(meaningOf(state), texts.states[state] ?? state);
}

/** Whether a record is active. */
export function activeBadge({ texts, say }: Pick<Words, "say" | "texts">, active: boolean): Html {
  return active ? badge("good", texts.states["active"] ?? "") : badge("attention", say("switchedOff"));
}

/**
 * An amount with its currency.
 * @param amount with two decimals.
 */
export function money(words: Words, amount: string, currency: string): Html {
  return html`<span class="money">${words.money(amount, currency)}</span>`;
}

/**
 * A time within the last day as a duration, an older one as a date; the exact time on hover. In a narrow cell it breaks
 * only between day and time.
 */
export function time(words: Words, at: Date, now: Date): Html {
  // A print is read later: it has the exact time of what is "5 min ago" on the screen.
  const isRecent = Math.abs(now.getTime() - at.getTime()) < DAY_MS;
  return html`<time
    datetime="${at.toISOString()}"
    title="${words.exactTime(at)}"
    ${isRecent && html` class="recent"`}
    >${breakable(words.since(at, now))}</time
  >`;
}

/** When a bank or processor says that something happened: often only a day, which is stored as its beginning in UTC. */
export function dayOrTime(words: Words, at: Date, now: Date): Html {
  return dayAlone(words, at) ?? time(words, at, now);
}

/** The day of a time that is exactly the beginning of one in UTC; else null. */
export function dayAlone(words: Words, at: Date): Html | null {
  const [day = "", rest] = at.toISOString().split("T");
  return rest === "00:00:00.000Z" ? html`<time datetime="${day}">${words.day(day)}</time>` : null;
}

/** A line breaks between day and time only; "5 min ago" does not. */
function breakable(text: string): string {
  return text.replaceAll(/(?<!,) /g, "\u00a0");
}

/** The time, or a dash. */
export function timeOrNone(words: Words, at: Date | null, now: Date): Html {
  return at === null ? NONE : time(words, at, now);
}

/** The day, or the text shown for a missing value. */
export function dayOrNone(words: Words, day: IsoDate | null): Html | string {
  return day === null ? NONE : words.day(day);
}

/** Since when a receiver has been failing, as a sentence. */
export function failingSince(words: Words, at: Date, now: Date): Html {
  return html`${words.say("failingSince")} ${time(words, at, now)}`;
}

/** Shown in place of a missing value. */
const NONE: Html = html`<span class="soft">–</span>`;

export function orNone(value: string | null): Html | string {
  return value === null || value === "" ? NONE : value;
}

/** The end of an account number, as customers know it. */
export function accountEnd(masked: string | null): Html | string {
  return masked === null ? NONE : html`<span class="code">•••• ${masked.slice(-4)}</span>`;
}

/** A reason as text with its code. */
export function reason({ texts }: Pick<Words, "texts">, code: string | null): Html {
  if (code === null) return NOTHING;
  const known = texts.reasons[code];
  if (known === undefined) return html`${code}`;
  return isBankCode(code) ? html`${known} (${code})` : html`${known}`;
}

/** Whether a reason is the bank's code instead of one of ours. */
export function isBankCode(reasonCode: string): boolean {
  return /^([A-Z]{2}\d\d|[A-Z]{4})$/.test(reasonCode);
}

/** A reference with a copy button, which appears with the script. */
export function copyableReference(words: Words, text: string | null): Html {
  if (text === null) return NONE;
  return html`<span class="copyable"
    ><span class="code">${text}</span
    ><button
      class="quiet copy"
      type="button"
      hidden
      data-copy="${text}"
      aria-label="${words.say("copy")} ${text}"
    >
      ${icon("copy")}
    </button></span
  >`;
}

/** An e-mail address, which breaks after its name rather than within it; on phones only if it must. */
export function address(text: string | null): Html {
  if (text === null) return NONE;
  const at = text.lastIndexOf("@");
  if (at < 1) return html`${text}`;
  const [name, host] = [text.slice(0, at), text.slice(at)];
  return html`<span class="unbroken">${name}</span><wbr /><span class="unbroken">${host}</span>`;
}
