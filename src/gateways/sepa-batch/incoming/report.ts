/** The result of an item as shown in the file's report and the list of unmatched entries. Pure. */
import { createHash } from "node:crypto";
import { must } from "../../../lib/assert.ts";
import { formatAmount } from "../../../lib/money.ts";
import type { Booking, CollectionChange, EntryLine } from "./changes-store.ts";
import { distinctTexts } from "./interpret.ts";
import type { BlockIds, Item, StatementPage } from "./items.ts";
import type { NewUnmatched } from "../unmatched/store.ts";

/** The result of applying an item. `passed`: nothing was changed, whatever names it contains. */
export type Applied = Made | { readonly kind: "passed"; readonly words: string };

/** The result as reported. */
export type EntryOutcome = Made | { readonly kind: "ignored"; readonly words: string };

type Made =
  | {
      readonly kind: "change";
      readonly changes: readonly CollectionChange[];
      readonly booking: Booking | null;
      readonly followUp?: FollowUp;
    }
  | {
      readonly kind: "known";
      readonly words: string;
      readonly booking: Booking | null;
      readonly reports?: string;
      readonly followUp?: FollowUp;
    }
  | {
      readonly kind: "block";
      readonly result: "settled" | "rejected";
      readonly moved: number;
      readonly followUp?: FollowUp;
    }
  | Unmatched;

/**
 * A second matter for a person, besides an entry that was applied: the file that it proves the bank to have. Absent if
 * there is none.
 */
export interface FollowUp {
  readonly why: string;
  readonly block: BlockIds;
}

/**
 * The matter of an instruction that was sent again after its file was withdrawn.
 * @param messageId of the withdrawn file.
 */
export function sentAgain(messageId: string | null): FollowUp {
  return { why: SENT_AGAIN, block: { blockId: null, messageId } };
}

const SENT_AGAIN =
  "the bank has booked this from a file that was withdrawn, and it was sent in another one since: ask the bank to stop it there; what else was in the withdrawn file is held until this entry is dismissed";

/**
 * The entry about a whole file, which no bank file contains. Each file has one of a kind.
 * @param file what tells it from others, and its message id: of a withdrawn file it holds what was in it, as an entry of
 * a bank file that names it does, until a person dismisses it.
 */
export function entryOfFile(
  id: string,
  matter: keyof typeof MATTERS,
  file: { readonly identity: string; readonly messageId: string | null },
): NewUnmatched {
  const ids = { references: [], endToEndId: null, mandateReference: null, others: [] };
  const item: Item = { kind: "note", words: "", understood: false, bookedOn: null, ids };
  return {
    id,
    entry: 0,
    kind: UNMATCHED_KINDS[item.kind],
    why: MATTERS[matter],
    amount: null,
    bank_fee: null,
    booked_on: null,
    facts: { ...item, block: { blockId: null, messageId: file.messageId } },
    // Protocol and reports show the same.
    identity: hashOf(JSON.stringify([matter === "reported" ? "arrived" : matter, file.identity])),
  };
}

const MATTERS = {
  arrived:
    "the bank's protocol says that it has this file, which was withdrawn: ask the bank whether it carries it out, and to stop what has been sent again since; the rest is held until this entry is dismissed",
  reported:
    "the bank reports on this file, which was withdrawn, as on one that it has: ask the bank whether it carries it out, and to stop what has been sent again since; the rest is held until this entry is dismissed",
  twice:
    "the bank's protocol says that it has this file twice, in two orders that the file's page lists: ask the bank to stop one of them, and dismiss this entry then",
  refused:
    "the bank's file could not be read, and nothing in it was applied: its page says why; dismiss this entry once you know what it says, or have it in another file",
} as const;

interface Unmatched {
  readonly kind: "unmatched";
  readonly why: string;
  readonly as?: "withdrawn_return";
  readonly another?: true;
}

export function lineOf(number: number, item: Item, outcome: EntryOutcome): EntryLine {
  const { ids } = item;
  const reference = ids.references[0] ?? blockName(item) ?? ids.mandateReference;
  const line = {
    number,
    amount: amountOf(item),
    reference,
    reason_code: "why" in item ? item.why.code : null,
  };
  switch (outcome.kind) {
    case "change": {
      const last = must(outcome.changes.at(-1), "what an entry changes");
      return {
        ...line,
        reference: last.reference,
        result: last.state,
        detail: last.news === "fee" ? "its fee" : "",
      };
    }
    case "block":
      return { ...line, result: outcome.result, detail: `${outcome.moved} transactions` };
    case "unmatched":
      return { ...line, result: "unmatched", detail: outcome.why };
    default:
      return { ...line, result: outcome.kind, detail: outcome.words };
  }
}

function blockName(item: Item): string | null {
  return "block" in item ? (item.block?.blockId ?? item.block?.messageId ?? null) : null;
}

/**
 * Creates the unmatched entry of an item.
 * @param given.repeated how often each has occurred in the file, by its facts; counted here.
 */
export function newUnmatched(given: {
  readonly id: string;
  readonly entry: number;
  readonly item: Item;
  readonly outcome: Unmatched;
  /** The gateways of the account that the file is about. */
  readonly account: readonly string[];
  readonly repeated: Map<string, number>;
  /** Which of the entries like it a person has applied: a line before this one is that entry. */
  readonly decided: ReadonlyMap<string, number | null>;
  /** The page, if its statement has pages. */
  readonly page: StatementPage | null;
  /** How often each entry occurred on other pages of the statement, by its name. */
  readonly onOtherPages: ReadonlyMap<string, number>;
}): NewUnmatched {
  const { id, entry, item, outcome, account, repeated, decided, page, onOtherPages } = given;
  const facts = factsOf(item, outcome, account);
  return {
    id,
    entry,
    kind: kindOf(item, outcome),
    why: outcome.why,
    amount: amountOf(item),
    bank_fee: item.kind === "return" && item.fee !== null ? formatAmount(item.fee) : null,
    booked_on: item.bookedOn,
    facts: {
      ...item,
      ...(outcome.as === undefined ? {} : { kind: outcome.as }),
      ...(page === null ? {} : { page }),
      ...(outcome.another === true ? { another: true } : {}),
    },
    identity:
      facts === null ? null : identityOf(facts, repeated, decided, onOtherPages.get(hashOf(facts)) ?? 0),
  };
}

function kindOf(item: Item, { as }: Pick<Unmatched, "as">): NewUnmatched["kind"] {
  return as ?? UNMATCHED_KINDS[item.kind];
}

function amountOf(item: Item): string | null {
  return "amount" in item && item.amount !== null ? formatAmount(item.amount) : null;
}

/** Identifies an entry for a person on any page; null if it names nothing. */
export function nameOfUnmatched(
  item: Item,
  outcome: Pick<Unmatched, "as">,
  account: readonly string[],
): string | null {
  const facts = factsOf(item, outcome, account);
  return facts === null ? null : hashOf(facts);
}

/** How many movements of one instruction a bank books on one day with one amount, at most. */
const ALIKE_MAX = 10;

/**
 * The entries like this one: their facts, their name on any page, and the identity of the first, the second and so on;
 * null if it names nothing.
 */
export function entriesLike(
  item: Item,
  outcome: Pick<Unmatched, "as">,
  account: readonly string[],
): { readonly facts: string; readonly name: string; readonly identities: readonly string[] } | null {
  const facts = factsOf(item, outcome, account);
  if (facts === null) return null;
  const identities = Array.from({ length: ALIKE_MAX }, (_, n) => nthOf(facts, n + 1));
  return { facts, name: hashOf(facts), identities };
}

function wordsOf(item: Item): string | null {
  if (item.kind === "note") return item.words;
  return "why" in item ? item.why.code : null;
}

const UNMATCHED_KINDS: Readonly<Record<Item["kind"], NewUnmatched["kind"]>> = {
  credit: "collection",
  block_credit: "block",
  block_reject: "block",
  return: "return",
  reject: "reject",
  withdrawn_return: "withdrawn_return",
  transfer_out: "transfer",
  transfer_back: "transfer",
  fee: "fee",
  note: "unreadable",
};

/**
 * Identifies an entry across files by its day, amount and references. The bank's own reference often differs between
 * files, so it counts only where nothing else is named; an entry that names nothing is distinct from every other.
 */
function factsOf(item: Item, outcome: Pick<Unmatched, "as">, account: readonly string[]): string | null {
  const { references, mandateReference, others } = item.ids;
  const ours = distinctTexts([...references, mandateReference, blockName(item)]);
  const names = ours.length > 0 ? ours : others;
  if (names.length === 0) return null;
  const currency = "currency" in item ? item.currency : null;
  const kind = kindOf(item, outcome);
  const facts = [...account, kind, item.bookedOn, amountOf(item), currency, wordsOf(item)];
  return JSON.stringify([...facts, ...names.toSorted()]);
}

/** A second identical one in the same file, or on another page of the same statement, is another entry. */
function identityOf(
  facts: string,
  repeated: Map<string, number>,
  decided: ReadonlyMap<string, number | null>,
  onOtherPages: number,
): string {
  const next = (repeated.get(facts) ?? 0) + 1;
  const nth = next === decided.get(facts) ? next + 1 : next;
  repeated.set(facts, nth);
  return nthOf(facts, nth + onOtherPages);
}

function nthOf(facts: string, nth: number): string {
  return hashOf(`${facts}#${nth}`);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
