/** Page of a bank file: what is in it, what the bank has said to each entry, and how it is carried by hand. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { ShownFile } from "../../gateways/sepa-batch/files-store.ts";
import { csrfField } from "../csrf.ts";
import { callout, dialog, empty, facts, heading, panel, toast } from "../design/blocks.ts";
import { formActs } from "../design/fields.ts";
import { addressWith } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { money, orNone, reason, copyableReference, stateBadge, time } from "../design/values.ts";
import type { Words } from "../words.ts";
import { BANK_CURRENCY, BANK_PATH, bankTabs, FILES_PATH } from "./bank.ts";
import { pathOfSearch } from "./search.ts";

/** What can be done with a file that waits, or of which nothing is known; each is a path below the file's. */
export const FILE_ACTS = ["sent", "withdraw", "arrived", "lost"] as const;
export type FileAct = (typeof FILE_ACTS)[number];

const WITHDRAWABLE = ["ready", "stored", "uploading"];

/** An entry of the file, or an instruction with the bank's answer to it. */
interface FileEntry {
  readonly number: number;
  readonly result: string;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly reason_code: string | null;
  readonly detail: string;
}

interface FilePage {
  readonly words: Words;
  readonly now: Date;
  readonly csrf: string;
  readonly file: ShownFile;
  readonly gateway: string | null;
  readonly entries: readonly FileEntry[];
  /** The number after which the next entries are shown; null where these are the last. */
  readonly next: number | null;
  readonly maySend: boolean;
  /** The dialog that is open, with what was wrong. */
  readonly acting: { readonly act: FileAct; readonly id: string; readonly problem: string | null } | null;
  /** What has just been done. */
  readonly done: string | null;
}

export function bankFilePage(page: FilePage): Html {
  const { words, now, csrf, file, gateway, entries, next, acting, done } = page;
  const say = words.say;
  const path = `${FILES_PATH}${file.id}/`;
  return html`${heading(html`<span class="code">${file.name}</span>`, {
      after: stateBadge(words, file.status),
      acts: page.maySend ? actsOf(words, csrf, file, path) : [],
      lead: html`${words.texts.fileKinds[file.kind] ?? file.kind} ·
      ${words.count(words.texts.entries, file.transactions)}${file.direction === "out" && html` · ${money(words, file.amount, BANK_CURRENCY)}`}`,
    })}
    ${bankTabs(words, BANK_PATH)}
    <div class="stack">
      ${file.error !== null && callout("bad", file.error)}
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
        </div>
        <div class="stack">
          ${panel(
            say("facts"),
            facts([
              [say("gateway"), gateway],
              [say("due"), file.due_date === null ? null : words.day(file.due_date)],
              [say("created"), time(words, file.created_at, now)],
              [say("sentAt"), file.sent_at === null ? null : time(words, file.sent_at, now)],
              [say("withoutAnswer"), file.direction === "out" ? words.number(file.unanswered) : null],
              [say("message"), file.message_id === null ? null : copyableReference(words, file.message_id)],
              ["ID", copyableReference(words, file.id)],
            ]),
          )}
        </div>
      </div>
      ${done !== null && toast(done)}
      ${acting !== null && page.maySend ? actDialog(page, path, acting) : NOTHING}
    </div>`;
}

function actsOf(
  { say }: Words,
  csrf: string,
  { status, direction }: ShownFile,
  path: string,
): readonly Html[] {
  const link = (act: FileAct, text: string) => html`<a class="button" href="${path}?act=${act}">${text}</a>`;
  const download = html`<form method="post" action="${path}content/">
    ${csrfField(csrf)}<button class="button">${say("download")}</button>
  </form>`;
  return [
    ...(status === "withdrawn" ? [] : [download]),
    ...(direction === "out" && status === "ready" ? [link("sent", say("act_sent"))] : []),
    ...(direction === "out" && WITHDRAWABLE.includes(status) ? [link("withdraw", say("act_withdraw"))] : []),
    ...(status === "unclear" ? [link("arrived", say("act_arrived")), link("lost", say("act_lost"))] : []),
  ];
}

function entriesTable(words: Words, entries: readonly FileEntry[]): Html {
  const say = words.say;
  return table(
    say("content"),
    [
      { title: say("number"), as: "number" },
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
        : html`<a class="code" href="${pathOfSearch(entry.reference)}">${entry.reference}</a>`,
    ]),
  );
}

/** Says what it means in money, and asks once. */
function actDialog(
  { words, csrf, file }: FilePage,
  path: string,
  { act, id, problem }: NonNullable<FilePage["acting"]>,
): Html {
  const say = words.say;
  const amount = words.money(file.amount, BANK_CURRENCY);
  return dialog(
    say(`act_${act}`),
    html`<p>${say(`what_${act}`, { amount, number: words.number(file.transactions) })}</p>
      ${problem !== null && callout("bad", problem)}
      <form method="post" action="${path}${act}/">
        ${csrfField(csrf)} <input type="hidden" name="id" value="${id}" />
        ${formActs(say(`act_${act}`), act === "sent" || act === "arrived" ? "main" : "bad", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}
