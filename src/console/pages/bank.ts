/** Pages of the merchant's own account at a bank: its files, its statements, and the entries that belong to no payment. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { BankAccount } from "../../gateways/sepa-batch/accounts.ts";
import { FILE_STATUSES } from "../../gateways/sepa-batch/file-schemas.ts";
import type { ShownFile } from "../../gateways/sepa-batch/files-store.ts";
import { UNMATCHED_STATUSES } from "../../gateways/sepa-batch/unmatched/schemas.ts";
import type { UnmatchedRow } from "../../gateways/sepa-batch/unmatched/store.ts";
import type { SepaStatementRow } from "../../db/rows.ts";
import { panel, tabs } from "../design/blocks.ts";
import { choiceFilter, recordFilter, statusFilter, type Named } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { badge, money, orNone, stateBadge, time } from "../design/values.ts";
import type { Words } from "../words.ts";
import { bankTroubles, type BankTroubles } from "./bank-troubles.ts";
import { listPage, type ListPage } from "./list.ts";

export const BANK_PATH = "/console/bank/";
export const STATEMENTS_PATH = `${BANK_PATH}statements/`;
export const UNMATCHED_PATH = `${BANK_PATH}unmatched/`;
export const FILES_PATH = `${BANK_PATH}files/`;

/** Files and statements are in the scheme's only currency. */
export const BANK_CURRENCY = "EUR";

export function bankTabs({ say }: Words, at: string): Html {
  return tabs(say("bank"), at, [
    [BANK_PATH, say("files")],
    [STATEMENTS_PATH, say("statements")],
    [UNMATCHED_PATH, say("unmatchedEntries")],
  ]);
}

export function filesPage(
  page: ListPage<ShownFile> & {
    readonly gateways: readonly Named[];
    readonly accounts: readonly BankAccount[];
    readonly troubles: Omit<BankTroubles, "words" | "now" | "gateways">;
  },
): Html {
  const { words, now, rows, gateways, accounts } = page;
  const say = words.say;
  return listPage(page, {
    path: BANK_PATH,
    title: say("bank"),
    tabs: bankTabs(words, BANK_PATH),
    above: html`${bankTroubles({ words, now, gateways, ...page.troubles })}
    ${accounts.length > 0 ? accountsPanel(words, accounts, gateways, now) : NOTHING}`,
    none: [say("noFiles"), say("noFilesHint")],
    filters: (query) => [
      choiceFilter(words, query, "direction", say("direction"), [
        ["out", say("toTheBank")],
        ["in", say("fromTheBank")],
      ]),
      statusFilter(words, query, FILE_STATUSES),
      recordFilter(words, query, "gateway_id", say("gateway"), withAccount(gateways, accounts)),
    ],
    table: () =>
      table(
        say("files"),
        [
          { title: say("name") },
          { title: say("status") },
          { title: say("content"), as: "spare" },
          { title: say("amount"), as: "number" },
          { title: say("due"), as: "short spare" },
          { title: say("created"), as: "short spare" },
        ],
        rows.map((row) => [
          html`<a class="row code" href="${FILES_PATH}${row.id}/">${row.name}</a>`,
          html`${stateBadge(words, row.status)}
          ${row.unanswered > 0 && row.status === "sent" && html`<div class="soft">${words.count(words.texts.unanswered, row.unanswered)}</div>`}`,
          html`${words.texts.fileKinds[row.kind] ?? row.kind}
            <div class="soft">${words.count(words.texts.entries, row.transactions)}</div>`,
          row.direction === "out" ? money(words, row.amount, BANK_CURRENCY) : orNone(null),
          orNone(row.due_date === null ? null : words.day(row.due_date)),
          time(words, row.created_at, now),
        ]),
      ),
  });
}

/** When the next file of each account is written, and with what. */
function accountsPanel(
  words: Words,
  accounts: readonly BankAccount[],
  gateways: readonly Named[],
  now: Date,
): Html {
  const say = words.say;
  return panel(
    say("nextFiles"),
    table(
      say("nextFiles"),
      [
        { title: say("bankAccount") },
        { title: say("cutOff"), as: "short" },
        { title: say("dueFrom"), as: "short spare" },
        { title: say("waiting"), as: "number" },
        { title: say("transport"), as: "spare" },
      ],
      accounts.map((account) => [
        html`${gateways.find(({ id }) => id === account.gateway_id)?.name ?? ""}
          <span class="code soft">•••• ${account.iban_last4}</span>`,
        time(words, account.next_file_at, now),
        words.day(account.due_from),
        account.waiting.length === 0
          ? orNone(null)
          : html`${account.waiting.map(
              ({ amount, currency, count }) =>
                html`<div>
                  ${money(words, amount, currency)}
                  <span class="soft">${words.count(words.texts.entries, count)}</span>
                </div>`,
            )}`,
        words.texts.transports[account.transport] ?? account.transport,
      ]),
    ),
  );
}

export function statementsPage(
  page: ListPage<SepaStatementRow> & { readonly gateways: readonly Named[] },
): Html {
  const { words, now, rows, gateways } = page;
  const say = words.say;
  return listPage(page, {
    path: STATEMENTS_PATH,
    title: say("bank"),
    tabs: bankTabs(words, STATEMENTS_PATH),
    none: [say("noStatements"), say("noStatementsHint")],
    filters: (query) => [
      choiceFilter(words, query, "gap", say("gap"), [
        ["true", say("withGap")],
        ["false", say("withoutGap")],
      ]),
      recordFilter(words, query, "gateway_id", say("gateway"), gateways),
    ],
    table: () =>
      table(
        say("statements"),
        [
          { title: say("upTo"), as: "short" },
          { title: say("number"), as: "number" },
          { title: say("gap") },
          { title: say("opening"), as: "number" },
          { title: say("closing"), as: "number" },
          { title: say("bankAccount"), as: "short spare" },
          { title: say("readAt"), as: "short spare" },
        ],
        rows.map((row) => [
          html`<a class="row" href="${FILES_PATH}${row.file_id}/">${words.day(row.ends_on)}</a>`,
          orNone(row.sequence === null ? null : words.number(Number(row.sequence))),
          row.gap === null
            ? badge("good", say("noGap"))
            : html`${badge("attention", say("withGap"))}
                <div class="soft">${row.gap}</div>`,
          row.opening === null ? orNone(null) : money(words, row.opening, BANK_CURRENCY),
          row.closing === null ? orNone(null) : money(words, row.closing, BANK_CURRENCY),
          html`<span class="code">•••• ${row.iban.slice(-4)}</span>`,
          time(words, row.created_at, now),
        ]),
      ),
  });
}

export function unmatchedPage(page: ListPage<UnmatchedRow>): Html {
  const { words, now, rows } = page;
  const say = words.say;
  return listPage(page, {
    path: UNMATCHED_PATH,
    title: say("bank"),
    tabs: bankTabs(words, UNMATCHED_PATH),
    none: [say("noUnmatched"), say("noUnmatchedHint")],
    filters: (query) => [statusFilter(words, query, UNMATCHED_STATUSES)],
    table: () =>
      table(
        say("unmatchedEntries"),
        [
          { title: say("amount"), as: "number" },
          { title: say("content") },
          { title: say("status") },
          { title: say("why"), as: "spare" },
          { title: say("booked"), as: "short spare" },
          { title: say("readAt"), as: "short spare" },
        ],
        rows.map((row) => [
          html`<a class="row" href="${UNMATCHED_PATH}${row.id}/"
            >${row.amount === null ? "?" : money(words, row.amount, BANK_CURRENCY)}</a
          >`,
          words.texts.entryKinds[row.kind] ?? row.kind,
          stateBadge(words, row.status),
          row.why,
          orNone(row.booked_on === null ? null : words.day(row.booked_on)),
          time(words, row.created_at, now),
        ]),
      ),
  });
}

function withAccount(gateways: readonly Named[], accounts: readonly BankAccount[]): readonly Named[] {
  const ids = accounts.map(({ gateway_id: id }) => id);
  return gateways.filter(({ id }) => ids.includes(id));
}
