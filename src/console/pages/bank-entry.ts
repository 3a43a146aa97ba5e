/**
 * Page of an entry of a bank file that matches no payment: its contents, suggestions, and a person's decision. Pure.
 */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Names } from "../../gateways/sepa-batch/unmatched/schemas.ts";
import type { ShownFile } from "../../gateways/sepa-batch/files-store.ts";
import type { UnmatchedRow } from "../../gateways/sepa-batch/unmatched/store.ts";
import type { Suggestion } from "../../gateways/sepa-batch/unmatched/suggest.ts";
import { csrfField } from "../csrf.ts";
import { callout, empty, facts, heading, panel, toast } from "../design/blocks.ts";
import { formActs, input, select, textarea } from "../design/fields.ts";
import { table } from "../design/table.ts";
import { money, reason, copyableReference, stateBadge } from "../design/values.ts";
import type { Words } from "../words.ts";
import { entryReason } from "./entry-reason.ts";
import { BANK_CURRENCY, bankTabs, FILES_PATH, UNMATCHED_PATH } from "./bank.ts";
import { PAYMENTS_PATH } from "./payments.ts";
import { pathOfSearch } from "./search.ts";

/** The fields of the forms about several payments. */
export interface TypedDecision {
  readonly action?: string;
  readonly transaction_ids?: string;
  readonly block_id?: string;
  readonly file_id?: string;
  readonly bank_fee?: string;
}

interface EntryPage {
  readonly words: Words;
  readonly csrf: string;
  readonly entry: UnmatchedRow;
  readonly names: Names;
  readonly suggestions: readonly Suggestion[];
  readonly mayResolve: boolean;
  /** Drawn with the forms: if one is sent twice, it is decided once. */
  readonly decisionId: string;
  /** What was typed in a refused form. */
  readonly typed: TypedDecision;
  /** Files whose payments the entry may settle, newest first. */
  readonly files: readonly Pick<ShownFile, "id" | "message_id" | "due_date" | "amount">[];
  /** Why the decision was refused. */
  readonly problem: string | null;
  /** The action that has just been performed. */
  readonly done: string | null;
}

export function bankEntryPage(page: EntryPage): Html {
  const { words, entry, names, problem, done } = page;
  const say = words.say;
  const open = entry.status === "open" || entry.status === "part";
  return html`${heading(entry.amount === null ? say("entry") : money(words, entry.amount, BANK_CURRENCY), {
      after: stateBadge(words, entry.status),
      lead: html`${names.rejectsBlock ? say("rejectedBlock") : (words.texts.entryKinds[entry.kind] ?? entry.kind)}
      · ${entryReason(words, entry.why)}`,
    })}
    ${bankTabs(words, UNMATCHED_PATH)}
    <div class="stack">
      ${problem !== null && callout("bad", problem)}
      <div class="split">
        <div class="stack">
          ${open && !names.rejectsBlock ? panel(say("suggestions"), suggestionsOf(page)) : NOTHING}
          ${open && page.mayResolve ? html`${names.rejectsBlock ? rejectForm(page) : ofOneOrSeveral(page)} ${dismissForm(page)}` : NOTHING}
          ${entry.resolution !== null && panel(say("note"), html`<p class="in">${entry.resolution}</p>`)}
        </div>
        <div class="stack">
          ${panel(
            say("facts"),
            facts([
              [say("booked"), entry.booked_on === null ? null : words.day(entry.booked_on)],
              [say("bankFee"), entry.bank_fee === null ? null : money(words, entry.bank_fee, BANK_CURRENCY)],
              [
                say("reason"),
                names.reasonCode === null ? names.reasonMessage : reason(words, names.reasonCode),
              ],
              ...names.references.map((text) => [say("reference"), copyableReference(words, text)] as const),
              [say("mandate"), names.mandateReference],
              [say("file"), html`<a href="${FILES_PATH}${entry.file_id}/">${say("show")}</a>`],
              [say("decided"), entry.resolved_at === null ? null : words.time(entry.resolved_at)],
              [
                say("payment"),
                entry.reference === null
                  ? null
                  : html`<a class="code" href="${pathOfSearch(entry.reference)}">${entry.reference}</a>`,
              ],
              ["ID", copyableReference(words, entry.id)],
            ]),
          )}
        </div>
      </div>
    </div>
    ${done !== null && toast(done)}`;
}

function suggestionsOf(page: EntryPage): Html {
  const { words, suggestions, mayResolve } = page;
  const say = words.say;
  if (suggestions.length === 0) return empty(say("noSuggestions"), say("noSuggestionsHint"));
  return table(
    say("suggestions"),
    [
      { title: say("amount"), as: "number" },
      { title: say("customer") },
      { title: say("status"), as: "spare" },
      { title: say("clue"), as: "spare" },
      ...(mayResolve ? [{ title: say("decide") }] : []),
    ],
    suggestions.map((one) => [
      html`<a class="row" href="${PAYMENTS_PATH}${one.transaction_id}/"
        >${money(words, one.amount, one.currency)}</a
      >`,
      html`${one.customer_name ?? ""}
        <div class="soft">${one.due_date !== null && words.day(one.due_date)}</div>`,
      stateBadge(words, one.state),
      words.texts.clues[one.clue],
      ...(mayResolve ? [decideForm(page, one)] : []),
    ]),
  );
}

/** Applies the entry to this payment with one click. */
function decideForm(page: EntryPage, one: Suggestion): Html {
  const { words } = page;
  return resolveForm(
    page,
    html`<input type="hidden" name="action" value="${one.action}" />
      <input type="hidden" name="transaction_id" value="${one.transaction_id}" />
      ${one.amount_differs && html`<input type="hidden" name="accept_amount" value="yes" />`}
      <button class="button">${words.say(one.action === "apply" ? "applyEntry" : "reinstate")}</button>
      ${one.amount_differs && html`<div class="soft">${words.say("amountDiffers")}</div>`}`,
  );
}

function anotherForm(page: EntryPage): Html {
  const { say } = page.words;
  return panel(
    say("anotherPayment"),
    html`<div class="in">
      ${resolveForm(
        page,
        html`${input({ name: "transaction_id", label: say("paymentId"), hint: say("paymentIdHint"), required: true, maxLength: 36 })}
          ${select({ name: "action", label: say("decide"), value: "apply" }, [
            ["apply", say("applyEntry")],
            ["reinstate", say("reinstate")],
          ])}
          <label class="choice"
            ><input type="checkbox" name="accept_amount" value="yes" />
            <span>${say("acceptAmount")}</span></label
          >
          ${formActs(say("decide"))}`,
      )}
    </div>`,
  );
}

/** The more likely meaning comes first. */
function ofOneOrSeveral(page: EntryPage): Html {
  return isSumOfSeveral(page)
    ? html`${settleForm(page)} ${anotherForm(page)}`
    : html`${anotherForm(page)} ${settleForm(page)}`;
}

function isSumOfSeveral({ entry }: EntryPage): boolean {
  return entry.kind === "block";
}

/** The only file with that sum. */
function fileOfSum(page: EntryPage): string | null {
  const { entry, files } = page;
  const fitting = files.filter(({ amount }) => amount !== null && amount === entry.amount);
  return isSumOfSeveral(page) && fitting.length === 1 ? (fitting[0]?.id ?? null) : null;
}

/** Settles a file, a block or named payments with one sum. */
function settleForm(page: EntryPage): Html {
  const { words, typed, files } = page;
  const { say } = words;
  const isTyped = typed.action === "settle" || typed.action === "part";
  const given = isTyped ? typed : {};
  const nameOf = (file: EntryPage["files"][number]) =>
    [
      file.due_date === null ? null : words.day(file.due_date),
      file.amount === null ? null : words.money(file.amount, BANK_CURRENCY),
      file.message_id,
    ]
      .filter((part) => part !== null)
      .join(" · ");
  const several = html`<p>${say("severalWhat")}</p>
    ${select({ name: "file_id", label: say("file"), value: given.file_id ?? fileOfSum(page) ?? "" }, [
      ["", say("noFile")],
      ...files.map((file) => [file.id, nameOf(file)] as const),
    ])}
    ${input({ name: "block_id", label: say("block"), hint: say("blockHint"), value: given.block_id ?? null, maxLength: 35 })}
    ${textarea({ name: "transaction_ids", id: "settle-ids", label: say("severalIds"), hint: say("severalIdsHint"), value: given.transaction_ids ?? null, code: true })}
    ${input({ name: "bank_fee", label: `${say("bankFee")} (${BANK_CURRENCY})`, hint: say("bankFeeHint"), value: given.bank_fee ?? null, inputMode: "decimal", maxLength: 20 })}
    ${select({ name: "action", id: "settle-action", label: say("decide"), value: given.action ?? "settle" }, [
      ["settle", say("settleAll")],
      ["part", say("settlePart")],
    ])}
    ${formActs(say("decide"))}`;
  return html`<details class="panel raw" ${(isTyped || isSumOfSeveral(page)) && html` open`}>
    <summary>${say("severalPayments")}</summary>
    <div class="in">${resolveForm(page, several)}</div>
  </details>`;
}

/** Rejects the whole block, its part without an answer, or named payments and refunds. */
function rejectForm(page: EntryPage): Html {
  const { say } = page.words;
  return panel(
    say("rejectRest"),
    html`<div class="in">
      ${resolveForm(
        page,
        html`<p>${say("rejectRestWhat")}</p>
          <input type="hidden" name="action" value="reject" />
          ${textarea({ name: "transaction_ids", label: say("rejectOnly"), hint: say("rejectOnlyHint"), value: page.typed.action === "reject" ? (page.typed.transaction_ids ?? null) : null, code: true })}
          ${input({ name: "note", id: "reject-note", label: say("note"), maxLength: 500 })}
          ${formActs(say("rejectRest"), "bad")}`,
      )}
    </div>`,
  );
}

function dismissForm(page: EntryPage): Html {
  const { say } = page.words;
  return panel(
    say("dismiss"),
    html`<div class="in">
      ${resolveForm(
        page,
        html`<p>${say("dismissWhat")}</p>
          <input type="hidden" name="action" value="dismiss" />
          ${input({ name: "note", id: "dismiss-note", label: say("note"), maxLength: 500 })}
          ${formActs(say("dismiss"), "bad")}`,
      )}
    </div>`,
  );
}

function resolveForm({ csrf, entry, decisionId }: EntryPage, body: Html): Html {
  return html`<form method="post" action="${UNMATCHED_PATH}${entry.id}/resolve/">
    ${csrfField(csrf)}<input type="hidden" name="id" value="${decisionId}" />${body}
  </form>`;
}
