/** Pages of the merchant's own bank account: its files, its statements, and entries that match no payment. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { BankAccount } from "../../gateways/sepa-batch/accounts.ts";
import { FILE_STATUSES } from "../../gateways/sepa-batch/file-schemas.ts";
import type { ShownFile } from "../../gateways/sepa-batch/files-store.ts";
import { UNMATCHED_STATUSES } from "../../gateways/sepa-batch/unmatched/schemas.ts";
import type { UnmatchedRow } from "../../gateways/sepa-batch/unmatched/store.ts";
import type { SepaStatementRow } from "../../db/rows.ts";
import { panel, tabs } from "../design/blocks.ts";
import type { CellParts, ListColumns } from "../design/columns.ts";
import { choiceFilter, recordFilter, statusFilter, type Named } from "../design/filters.ts";
import { table } from "../design/table.ts";
import {
  accountEnd,
  badge,
  dayOrNone,
  money,
  orNone,
  stateBadge,
  time,
  timeOrNone,
} from "../design/values.ts";
import { entryReason } from "./entry-reason.ts";
import type { Words } from "../words.ts";
import { bankTroubles, type BankTroubles } from "./bank-troubles.ts";
import { columnedPage, type ColumnedPage } from "./columned.ts";

export const BANK_PATH = "/console/bank/";
export const STATEMENTS_PATH = `${BANK_PATH}statements/`;
export const UNMATCHED_PATH = `${BANK_PATH}unmatched/`;
export const FILES_PATH = `${BANK_PATH}files/`;

/** The currency of files and statements, the scheme's only one. */
export const BANK_CURRENCY = "EUR";

export function bankTabs({ say }: Words, at: string): Html {
  return tabs(say("bank"), at, [
    [BANK_PATH, say("files")],
    [STATEMENTS_PATH, say("statements")],
    [UNMATCHED_PATH, say("unmatchedEntries")],
  ]);
}

type GatewayNames = { readonly gateways: readonly Named[] };

export const FILE_COLUMNS = {
  all: {
    name: { title: "name", cell: ({ name }) => html`<span class="code">${name}</span>` },
    status: {
      title: "status",
      cell: (row, { words }) =>
        html`${stateBadge(words, row.status)}
        ${row.unanswered > 0 && row.status === "sent" && html`<div class="soft">${words.count(words.texts.unanswered, row.unanswered)}</div>`}`,
    },
    content: {
      title: "content",
      cell: (row, { words }) =>
        html`${words.texts.fileKinds[row.kind] ?? row.kind}
          <div class="soft">${words.count(words.texts.entries, row.transactions)}</div>`,
    },
    amount: {
      title: "amount",
      as: "number",
      cell: (row, { words }) =>
        row.direction === "out" ? money(words, row.amount, BANK_CURRENCY) : orNone(null),
    },
    due: {
      title: "due",
      as: "short",
      cell: ({ due_date: day }, { words }) => dayOrNone(words, day),
    },
    created: {
      title: "created",
      as: "short",
      cell: (row, { words, now }) => time(words, row.created_at, now),
    },
    sent: {
      title: "sentAt",
      as: "short",
      cell: ({ sent_at: at }, { words, now }) => timeOrNone(words, at, now),
    },
    direction: {
      title: "direction",
      as: "short",
      cell: ({ direction }, { words }) => words.say(direction === "out" ? "toTheBank" : "fromTheBank"),
    },
    gateway: {
      title: "gateway",
      cell: (row, { gateways }) => orNone(gateways.find(({ id }) => id === row.gateway_id)?.name ?? null),
    },
    approved_by: { title: "approvals", cell: (row) => orNone(row.approved_by.join(", ")) },
    message: { title: "message", as: "short", cell: (row) => orNone(row.message_id) },
  },
  usual: {
    names: ["name", "status", "content", "amount", "due", "created"],
    spare: ["content", "due", "created"],
  },
} as const satisfies ListColumns<ShownFile, string, CellParts & GatewayNames>;

export function filesPage(
  page: ColumnedPage<ShownFile> &
    GatewayNames & {
      readonly accounts: readonly BankAccount[];
      readonly troubles: Omit<BankTroubles, "words" | "now" | "gateways">;
    },
): Html {
  const { words, now, gateways, accounts } = page;
  const say = words.say;
  return columnedPage(page, {
    name: "bank_files",
    path: BANK_PATH,
    title: say("bank"),
    all: say("allFiles"),
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
    columns: FILE_COLUMNS,
    parts: page,
    pathOf: ({ id }) => `${FILES_PATH}${id}/`,
  });
}

/** The time of each account's next file, and its contents. */
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

const balance = (amount: string | null, words: Words): Html | string =>
  amount === null ? orNone(null) : money(words, amount, BANK_CURRENCY);

export const STATEMENT_COLUMNS = {
  all: {
    up_to: { title: "upTo", as: "short", cell: (row, { words }) => words.day(row.ends_on) },
    number: {
      title: "number",
      as: "number",
      cell: ({ sequence }, { words }) => orNone(sequence === null ? null : words.number(Number(sequence))),
    },
    gap: {
      title: "gap",
      cell: ({ gap }, { words }) =>
        gap === null
          ? badge("good", words.say("noGap"))
          : html`${badge("attention", words.say("withGap"))}
              <div class="soft">${gap}</div>`,
    },
    opening: { title: "opening", as: "number", cell: (row, { words }) => balance(row.opening, words) },
    closing: { title: "closing", as: "number", cell: (row, { words }) => balance(row.closing, words) },
    account: { title: "bankAccount", as: "short", cell: ({ iban }) => accountEnd(iban) },
    gateway: {
      title: "gateway",
      cell: (row, { gateways }) => orNone(gateways.find(({ id }) => id === row.gateway_id)?.name ?? null),
    },
    read: {
      title: "readAt",
      as: "short",
      cell: (row, { words, now }) => time(words, row.created_at, now),
    },
  },
  usual: {
    names: ["up_to", "number", "gap", "opening", "closing", "account", "read"],
    spare: ["number", "opening", "account", "read"],
  },
} as const satisfies ListColumns<SepaStatementRow, string, CellParts & GatewayNames>;

export function statementsPage(page: ColumnedPage<SepaStatementRow> & GatewayNames): Html {
  const { words, gateways } = page;
  const say = words.say;
  return columnedPage(page, {
    name: "bank_statements",
    path: STATEMENTS_PATH,
    title: say("statements"),
    all: say("allStatements"),
    tabs: bankTabs(words, STATEMENTS_PATH),
    none: [say("noStatements"), say("noStatementsHint")],
    filters: (query) => [
      choiceFilter(words, query, "gap", say("gap"), [
        ["true", say("withGap")],
        ["false", say("withoutGap")],
      ]),
      recordFilter(words, query, "gateway_id", say("gateway"), gateways),
    ],
    columns: STATEMENT_COLUMNS,
    parts: page,
    pathOf: (row) => `${FILES_PATH}${row.file_id}/`,
  });
}

export const ENTRY_COLUMNS = {
  all: {
    amount: { title: "amount", as: "number", cell: (row, { words }) => entryAmount(words, row) },
    content: { title: "content", cell: ({ kind }, { words }) => words.texts.entryKinds[kind] ?? kind },
    status: { title: "status", cell: ({ status }, { words }) => stateBadge(words, status) },
    why: {
      title: "why",
      cell: ({ why }, { words }) => html`<span class="sentence">${entryReason(words, why)}</span>`,
    },
    booked: {
      title: "booked",
      as: "short",
      cell: ({ booked_on: day }, { words }) => dayOrNone(words, day),
    },
    read: {
      title: "readAt",
      as: "short",
      cell: (row, { words, now }) => time(words, row.created_at, now),
    },
    bank_fee: { title: "bankFee", as: "number", cell: (row, { words }) => balance(row.bank_fee, words) },
    decided: {
      title: "decided",
      as: "short",
      cell: ({ resolved_at: at }, { words, now }) => timeOrNone(words, at, now),
    },
  },
  usual: {
    names: ["amount", "content", "status", "why", "booked", "read"],
    spare: ["why", "booked", "read"],
  },
} as const satisfies ListColumns<UnmatchedRow>;

export function unmatchedPage(page: ColumnedPage<UnmatchedRow>): Html {
  const { words } = page;
  const say = words.say;
  return columnedPage(page, {
    name: "bank_entries",
    path: UNMATCHED_PATH,
    title: say("unmatchedEntries"),
    all: say("allEntries"),
    tabs: bankTabs(words, UNMATCHED_PATH),
    none: [say("noUnmatched"), say("noUnmatchedHint")],
    filters: (query) => [statusFilter(words, query, UNMATCHED_STATUSES)],
    columns: ENTRY_COLUMNS,
    parts: page,
    pathOf: ({ id }) => `${UNMATCHED_PATH}${id}/`,
  });
}

function entryAmount(words: Words, { amount }: UnmatchedRow): Html | string {
  return amount === null ? "?" : money(words, amount, BANK_CURRENCY);
}

function withAccount(gateways: readonly Named[], accounts: readonly BankAccount[]): readonly Named[] {
  const ids = accounts.map(({ gateway_id: id }) => id);
  return gateways.filter(({ id }) => ids.includes(id));
}
