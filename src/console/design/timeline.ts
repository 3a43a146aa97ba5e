/** The history of a payment, step by step. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { filled } from "../../payment-page/render/wording.ts";
import type { Words } from "../words.ts";
import { dayAlone, reason, type Meaning } from "./values.ts";

export interface TimelineStep {
  readonly at: Date;
  readonly kind: string;
  readonly what: string | null;
  readonly why: string | null;
  readonly amount: string | null;
  readonly whom: string | null;
  /** The id of its subject: for a webhook, the delivery. */
  readonly id: string | null;
}

const MEANINGS: Readonly<Record<string, Meaning>> = {
  "session COMPLETED": "good",
  "payment approved": "good",
  "refund approved": "good",
  "bank settled": "good",
  "payment declined": "bad",
  "refund declined": "bad",
  "bank returned": "bad",
  "chargeback charged_back": "bad",
  "bank_file unclear": "attention",
};

/**
 * The timeline.
 * @param actOf the action offered by a step.
 */
export function timeline(
  words: Words,
  steps: readonly TimelineStep[],
  currency: string,
  actOf: (step: TimelineStep) => Html = () => NOTHING,
): Html {
  const refunds = new Set(steps.filter(({ kind }) => kind === "refund").map(({ id }) => id));
  const subjectOf = ({ kind, id }: TimelineStep) =>
    /^bank(_file)?$/.test(kind) && refunds.has(id) ? words.texts.types["sdd_refund"] : undefined;
  return html`<ol class="timeline">
    ${steps.map((step) => entry(words, step, currency, { act: actOf(step), subject: subjectOf(step) }))}
  </ol>`;
}

/** Beside a step: its action, and its subject if another step has the same text and another subject. */
interface Beside {
  readonly act: Html;
  readonly subject: string | undefined;
}

function entry(words: Words, step: TimelineStep, currency: string, { act, subject }: Beside): Html {
  const key = `${step.kind} ${step.what ?? ""}`;
  const amount = step.amount === null ? "" : words.money(step.amount, currency);
  const pattern = words.texts.steps[key] ?? words.texts.steps[step.kind] ?? key;
  return html`<li class="${meaningOf(key, step)}">
    <p>
      ${subject !== undefined && `${subject} · `}${filled(pattern, { amount, what: whatOf(words, step), whom: step.whom ?? "" })}
    </p>
    ${why(words, step)} ${whenOf(words, step)} ${act}
  </li>`;
}

/** Steps of which a bank reports the day have no time. */
function whenOf(words: Words, { at, kind }: TimelineStep): Html {
  return (
    (kind === "bank" || kind === "chargeback" ? dayAlone(words, at) : null) ??
    html`<time datetime="${at.toISOString()}" title="${words.exactTime(at)}">${words.time(at)}</time>`
  );
}

/** The name of a webhook's event; an unknown one as in the API. */
function whatOf({ texts }: Words, { kind, what }: TimelineStep): string {
  const names: Readonly<Record<string, string>> = texts.eventNames;
  return (kind === "webhook" ? names[what ?? ""] : undefined) ?? what ?? "";
}

function meaningOf(key: string, { kind, why: answer }: TimelineStep): Meaning | "" {
  if (kind === "webhook") return answer !== null && /^2\d\d$/.test(answer) ? "good" : "attention";
  return MEANINGS[key] ?? "";
}

/** Causes of session moves are internal words; the step's own text already expresses them. */
function why(words: Words, { kind, why: text }: TimelineStep): Html | false {
  if (text === null || kind === "session") return false;
  if (kind === "note") return html`<p class="why said">${text}</p>`;
  if (kind === "webhook") return html`<p class="why">${receiverSaid(words, text)}</p>`;
  if (kind === "bank_file" && /^\d{4}-\d\d-\d\d$/.test(text))
    return html`<p class="why">${words.say("due")}: ${words.day(text)}</p>`;
  return html`<p class="why">${reason(words, text)}</p>`;
}

/** A receiver's response, or why there was none. */
function receiverSaid({ texts, say }: Words, text: string): string {
  if (/^5\d\d$/.test(text)) return say("shopFailed", { code: text });
  const [, code] = /^(E[A-Z]{4,}): /.exec(text) ?? [];
  if (code !== undefined) return say("shopUnreached", { code });
  return texts.answers[text] ?? (/^4\d\d$/.test(text) ? say("shopRefused", { code: text }) : text);
}
