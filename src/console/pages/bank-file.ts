/** Page of a bank file: its contents, the bank's answer to each entry, and how it is carried by hand. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Action } from "../../people/access.ts";
import type { ShownFile } from "../../gateways/sepa-batch/files-store.ts";
import { csrfField } from "../csrf.ts";
import { callout, dialog, empty, facts, heading, panel, toast } from "../design/blocks.ts";
import { formActs } from "../design/fields.ts";
import { addressWith } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { money, orNone, reason, copyableReference, stateBadge, time } from "../design/values.ts";
import { faultWords } from "../refused.ts";
import type { Words } from "../words.ts";
import { BANK_CURRENCY, BANK_PATH, bankTabs, FILES_PATH } from "./bank.ts";
import { pathOfSearch } from "./search.ts";

/** The actions on a file that waits or is unclear; each is a path below the file's. */
const ACTS = {
  approve: "bank.approve",
  sent: "bank.send",
  withdraw: "bank.send",
  arrived: "bank.send",
  lost: "bank.send",
} as const satisfies Readonly<Record<string, Action>>;
export type FileAct = keyof typeof ACTS;
export const FILE_ACTS = Object.keys(ACTS) as readonly FileAct[];

/** The permission that an action requires. */
export function actionOf(act: FileAct): Action {
  return ACTS[act];
}

/** Whether an action decides about one upload of a file, which may be sent again while the page is open. */
function isAboutUpload(act: FileAct): boolean {
  return act === "arrived" || act === "lost";
}

const WITHDRAWABLE = ["to_approve", "ready", "stored", "uploading"];

/** An entry of the file, or an instruction with the bank's answer to it. */
interface FileEntry {
  readonly number: number;
  readonly result: string;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly reason_code: string | null;
  readonly detail: string;
}

/** A step of the file's order, according to the bank's protocol. */
interface OrderStep {
  readonly at: Date;
  readonly order_id: string;
  readonly action: string;
  readonly reason: string;
  readonly text: string;
}

export interface OpenAct {
  readonly act: FileAct;
  readonly id: string;
  /** The file's attempts when the person decided to act; null: as it is shown now. */
  readonly attempts: string | null;
  readonly problem: string | null;
}

interface FilePage {
  readonly words: Words;
  readonly now: Date;
  readonly csrf: string;
  readonly file: ShownFile;
  readonly gateway: string | null;
  readonly entries: readonly FileEntry[];
  /** The bank's protocol about it; empty if it is not sent over EBICS. */
  readonly history: readonly OrderStep[];
  /** The number after which the next entries begin; null on the last page. */
  readonly next: number | null;
  readonly may: (action: Action) => boolean;
  /** The dialog that is open, with what was wrong. */
  readonly acting: OpenAct | null;
  /** The action that has just been performed. */
  readonly done: string | null;
}

export function bankFilePage(page: FilePage): Html {
  const { words, now, file, gateway, entries, next, acting, done } = page;
  const say = words.say;
  const path = `${FILES_PATH}${file.id}/`;
  return html`${heading(html`<span class="code">${file.name}</span>`, {
      after: stateBadge(words, file.status),
      acts: actsOf(page, path),
      lead: html`${words.texts.fileKinds[file.kind] ?? file.kind} ·
      ${words.count(words.texts.entries, file.transactions)}${file.direction === "out" && html` · ${money(words, file.amount, BANK_CURRENCY)}`}`,
    })}
    ${bankTabs(words, BANK_PATH)}
    <div class="stack">
      ${file.error !== null && callout("bad", faultWords(words, file.error))}
      ${file.status === "unclear" && callout("attention", say("unclearWhat"))}
      <div class="split">
        <div class="stack">
          ${panel(
            say("content"),
            entries.length === 0
              ? empty(say("noEntries"), say("noEntriesHint"))
              : entriesTable(words, entries),
            next === null
              ? NOTHING
              : html`<a href="${addressWith(path, { after: String(next) })}">${say("more")}</a>`,
          )}
          ${page.history.length > 0 && panel(say("orderAtBank"), historyTable(page))}
        </div>
        <div class="stack">
          ${panel(
            say("facts"),
            facts([
              [say("gateway"), gateway],
              [say("due"), file.due_date === null ? null : words.day(file.due_date)],
              [say("created"), time(words, file.created_at, now)],
              [say("approvals"), approvalsOf(words, file)],
              [say("sentAt"), file.sent_at === null ? null : time(words, file.sent_at, now)],
              [say("withoutAnswer"), file.direction === "out" ? words.number(file.unanswered) : null],
              [say("message"), file.message_id === null ? null : copyableReference(words, file.message_id)],
              ["ID", copyableReference(words, file.id)],
            ]),
          )}
        </div>
      </div>
      ${done !== null && toast(done)}
      ${acting !== null && page.may(actionOf(acting.act)) ? actDialog(page, path, acting) : NOTHING}
    </div>`;
}

/** The actions that this person may perform in the file's current state. */
function actsOf({ words, csrf, file, may }: FilePage, path: string): readonly Html[] {
  const { say } = words;
  const download = html`<form method="post" action="${path}content/">
    ${csrfField(csrf)}<button class="button">${say("download")}</button>
  </form>`;
  const isDownloadable = file.status !== "withdrawn" && file.status !== "to_approve";
  return [
    ...(isDownloadable && may("bank.send") ? [download] : []),
    ...FILE_ACTS.filter((act) => isOpen(act, file) && may(actionOf(act))).map(
      (act) =>
        html`<a
          class="button"
          href="${addressWith(path, { act, ...(isAboutUpload(act) ? { attempts: String(file.attempts) } : {}) })}"
          >${say(`act_${act}`)}</a
        >`,
    ),
  ];
}

function isOpen(act: FileAct, { status, direction }: ShownFile): boolean {
  switch (act) {
    case "approve":
      return status === "to_approve";
    case "sent":
      return direction === "out" && status === "ready";
    case "withdraw":
      return direction === "out" && WITHDRAWABLE.includes(status);
    case "arrived":
    case "lost":
      return status === "unclear";
  }
}

/** The approvals given, of those required, and by whom; null if none are required. */
function approvalsOf({ say }: Words, { approvals_required: number, approved_by: names }: ShownFile) {
  if (number === 0) return null;
  const given = say("approvalsGiven", { given: String(names.length), number: String(number) });
  return names.length === 0 ? given : `${given}: ${names.join(", ")}`;
}

function entriesTable(words: Words, entries: readonly FileEntry[]): Html {
  const say = words.say;
  return table(
    say("content"),
    [
      { title: say("lineNumber"), as: "number" },
      { title: say("amount"), as: "number" },
      { title: say("status") },
      { title: say("reference"), as: "spare" },
    ],
    entries.map((entry) => [
      words.number(entry.number),
      entry.amount === null ? orNone(null) : money(words, entry.amount, BANK_CURRENCY),
      html`${stateBadge(words, entry.result)}
        <div class="soft">
          ${entry.reason_code === null ? entry.detail : reason(words, entry.reason_code)}
        </div>`,
      entry.reference === null
        ? orNone(null)
        : html`<a class="code reference" href="${pathOfSearch(entry.reference)}">${entry.reference}</a>`,
    ]),
  );
}

function historyTable({ words, now, history }: FilePage): Html {
  const { say } = words;
  return table(
    say("orderAtBank"),
    [{ title: say("stepTime") }, { title: say("order") }, { title: say("stepOfOrder") }],
    history.map(({ at, order_id, action, reason: code, text }) => [
      time(words, at, now),
      html`<span class="code">${order_id}</span>`,
      html`<span class="code">${[action, code].join(" ").trim()}</span>
        <div class="soft">${text}</div>`,
    ]),
  );
}

/** The dialog: shows the amount of money, and asks for confirmation. */
function actDialog(
  { words, csrf, file }: FilePage,
  path: string,
  { act, id, attempts, problem }: OpenAct,
): Html {
  const say = words.say;
  const amount = words.money(file.amount, BANK_CURRENCY);
  const isUnapproved = act === "withdraw" && file.status === "to_approve";
  const what = isUnapproved ? "what_withdraw_unapproved" : (`what_${act}` as const);
  return dialog(
    say(`act_${act}`),
    html`<p>${say(what, { amount, entries: words.count(words.texts.entries, file.transactions) })}</p>
      ${problem !== null && callout("bad", problem)}
      <form method="post" action="${path}${act}/">
        ${csrfField(csrf)} <input type="hidden" name="id" value="${id}" />
        ${isAboutUpload(act) && html`<input type="hidden" name="attempts" value="${attempts ?? String(file.attempts)}" />`}
        ${formActs(say(`act_${act}`), act === "withdraw" || act === "lost" ? "bad" : "main", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}
