/** Applies the items of a bank file to the books, in order, within the file's transaction. */
import type { Tx } from "../../../db/database.ts";
import type { Deps } from "../../../deps.ts";
import { utcDate, type IsoDate } from "../../../lib/dates.ts";
import { formatAmount } from "../../../lib/money.ts";
import { applyBlock, type BlockItem } from "./apply-block.ts";
import {
  type Booking,
  findBookings,
  findOurs,
  findSentAgain,
  findWithdrawnBlocks,
  insertBookings,
  isInNoFile,
  lockByMandate,
  lockCollections,
  writeChanges,
  type CollectionChange,
  type EntryLine,
} from "./changes-store.ts";
import {
  decide,
  fileIdOfBlock,
  onDay,
  reportableOf,
  reportKey,
  type InstructionItem,
  type Decision,
  type KnownInstruction,
} from "./decide.ts";
import { distinctTexts, namesIn, hasNoReason } from "./interpret.ts";
import type { Chunk, Item } from "./items.ts";
import { mayBeReversal, concernedInstruction } from "./debit-or-reversal.ts";
import {
  lineOf,
  nameOfUnmatched,
  entriesLike,
  newUnmatched,
  sentAgain,
  type Applied,
  type FollowUp,
  type EntryOutcome,
} from "./report.ts";
import type { SepaCollection } from "../books-store.ts";
import { decideUnclear, findUnexpected, type AccountRow, type FileScope } from "../files-store.ts";
import { findApplied, insertUnmatched } from "../unmatched/store.ts";
import type { StatementPages } from "./statements/pages.ts";
import { tellOfFile } from "./tell-of-file.ts";

/** The file being read, and the state that its entries share. */
export interface Application {
  readonly deps: Pick<Deps, "clock" | "ids" | "log" | "time">;
  readonly tx: Tx;
  readonly account: AccountRow;
  readonly reach: FileScope;
  readonly id: string;
  /** How often each identifiable unmatched entry was in this file, by its facts. */
  readonly repeated: Map<string, number>;
  /** Which of the entries like it a person has applied, by its facts; null for none. */
  readonly decided: Map<string, number | null>;
  /** What this file has reported so far, by `reportKey`: the next entry about the same is another movement. */
  readonly reported: Set<string>;
  /** What other pages of the statement at hand have reported. */
  readonly pages: StatementPages;
}

/** Applies the entries of one chunk in their order; a later one sees the changes of an earlier one. */
export async function applyItems(
  at: Application,
  { items, page }: Pick<Chunk, "items" | "page">,
  before: number,
): Promise<readonly EntryLine[]> {
  at.pages.turnTo(page);
  const today = utcDate(at.deps.time.now(at.account.tenant));
  const references = items.flatMap(({ ids }) => ids.references);
  const reversed = items.filter(mayBeReversal).flatMap(({ ids }) => ids.references);
  let instructions = await instructionsOf(at, references, reversed);
  const applied: Applied[] = [];
  let waiting: Pending = { changes: [], bookings: [] };
  for (const item of items) {
    if (isAboutBlock(item)) {
      // A block is applied in SQL, after the changes before it are written; later entries see its result.
      await write(at, waiting);
      waiting = { changes: [], bookings: [] };
      const ofBlock = await applyBlock(at, item, today);
      // A sum that changes nothing may still be the first booking of what was only assumed.
      if (ofBlock.kind === "block" || ofBlock.kind === "known")
        instructions = await instructionsOf(at, references, reversed);
      applied.push(ofBlock);
      continue;
    }
    const one = await applyItem(at, item, instructions, today);
    if (one.kind === "change" || one.kind === "known") {
      if (one.kind === "change") waiting.changes.push(...one.changes);
      if (one.booking !== null) waiting.bookings.push(one.booking);
      remember(at, instructions, one, item.bookedOn ?? today);
    }
    applied.push(one);
  }
  await write(at, waiting);
  await noteArrivals(at, items);
  const lines = await conclude(at, items, applied, before);
  await at.pages.write();
  return lines;
}

/**
 * Locks the instructions of these references until the transaction ends, and reads what the bank has booked for them.
 * @param reversed references of debits whose reversals are needed, too.
 */
async function instructionsOf(
  at: Application,
  references: readonly string[],
  reversed: readonly string[],
): Promise<Map<string, KnownInstruction>> {
  if (references.length === 0) return new Map();
  const rows = await lockCollections(at.tx, at.account.tenant, at.reach.gatewayIds, references, reversed);
  return new Map((await withBookings(at, rows)).map((instruction) => [instruction.reference, instruction]));
}

async function withBookings(
  { tx, account, reach, id, reported, pages }: Application,
  rows: readonly SepaCollection[],
): Promise<readonly KnownInstruction[]> {
  const references = rows.map(({ reference }) => reference);
  const bookings = await findBookings(tx, account.tenant, reach.gatewayIds, references);
  for (const { reference, movement, file_id } of bookings)
    if (file_id === id) reported.add(reportKey(movement, reference));
  const byReference = Map.groupBy(bookings, ({ reference }) => reference);
  const blocks = await findWithdrawnBlocks(tx, account.tenant, reach.gatewayIds, references);
  const sentAgain =
    blocks.size === 0 ? new Map() : await findSentAgain(tx, account.tenant, reach.gatewayIds, rows);
  const all = rows.map((row) => ({ ...row, withdrawnBlocks: blocks.get(row.reference) ?? [] }));
  const elsewhere = await reportedElsewhere(pages, all);
  const isReported = (row: InBlocks, key: string): boolean =>
    reported.has(key) ||
    elsewhere.has(key) ||
    inSums(row).some(([sum, own]) => own === key && reported.has(sum));
  return all.map((row) => ({
    ...row,
    withdrawn: isInNoFile(row) && blocks.has(row.reference),
    withdrawnFrom: sentAgain.get(row.reference) ?? [],
    booked: Object.fromEntries(
      (byReference.get(row.reference) ?? []).map(({ movement, booked_on, bank_reference }) => [
        movement,
        { on: booked_on, bankReference: bank_reference },
      ]),
    ),
    reported: { has: (key) => isReported(row, key) },
    isReportedOn: (what, on) => {
      const key = reportKey(what, row.reference);
      return reported.has(onDay(key, on)) || elsewhere.has(key);
    },
  }));
}

const REPORTABLE = ["credit", "debit", "fee", "reinstatement", "earlier return"] as const;

/**
 * What other pages of the statement have reported about these instructions, by `reportKey`, including in the sum of a
 * block.
 */
async function reportedElsewhere(
  pages: StatementPages,
  rows: readonly InBlocks[],
): Promise<ReadonlySet<string>> {
  const asked = rows.flatMap((row) => [
    ...REPORTABLE.map((what) => [reportKey(what, row.reference), reportKey(what, row.reference)] as const),
    ...inSums(row),
  ]);
  const found = await pages.reportedElsewhere(asked.map(([key]) => key));
  return new Set(asked.filter(([key]) => found.has(key)).map(([, own]) => own));
}

/** Whether the item concerns a block: by its kind, or because it names a block and no transaction. */
function isAboutBlock(item: Item): item is BlockItem {
  switch (item.kind) {
    case "block_credit":
    case "block_reject":
      return true;
    case "credit":
    case "transfer_out":
      return item.block !== null && item.ids.references.length === 0;
    case "return": {
      const mayGoOut = item.reversal === true || hasNoReason(item);
      return mayGoOut && item.block !== null && item.ids.references.length === 0;
    }
    default:
      return false;
  }
}

async function applyItem(
  at: Application,
  item: Exclude<Item, BlockItem> | InstructionItem,
  instructions: Map<string, KnownInstruction>,
  today: IsoDate,
): Promise<Applied> {
  switch (item.kind) {
    case "note":
      return { kind: "passed", words: item.words };
    case "withdrawn_return":
      return item.sure
        ? ofWithdrawn(item, instructions, today)
        : { kind: "passed", words: "money that came back by a reversal" };
    default:
      return applyOne(at, item, instructions, today);
  }
}

/**
 * Handles the reversal of a return. Once a person has reinstated the payment, another file about it changes nothing.
 */
function ofWithdrawn(
  item: Extract<Item, { readonly kind: "withdrawn_return" }>,
  instructions: ReadonlyMap<string, KnownInstruction>,
  today: IsoDate,
): Applied {
  const about = item.ids.references
    .map((reference) => instructions.get(reference))
    .find((one) => one !== undefined);
  const until = about?.state === "settled" ? about.reinstated_on : null;
  const reports = reportKey("reinstatement", about?.reference ?? "");
  const wasReported = about?.reported?.has(reports) === true;
  const on = item.bookedOn ?? today;
  if (until !== null && until !== undefined && !wasReported && on <= until) {
    return { kind: "known", words: "the money arrived after all", booking: null, reports };
  }
  return {
    kind: "unmatched",
    why: "the bank reversed a return: reinstate the payment if it was charged back",
    ...(about?.isReportedOn?.("reinstatement", on) === true ? { another: true } : {}),
  };
}

async function applyOne(
  at: Application,
  item: InstructionItem,
  instructions: Map<string, KnownInstruction>,
  today: IsoDate,
): Promise<Applied> {
  const named = await instructionFor(at, item, instructions, today);
  const instruction = named === null ? null : concernedInstruction(named, item, instructions, today);
  if (instruction === "unclear") return { kind: "unmatched", why: EITHER };
  if (instruction === "withdrawn") return { kind: "unmatched", why: WITHDRAWN };
  if (instruction !== null) {
    if (item.amount === null && item.kind !== "reject" && item.kind !== "fee") {
      return { kind: "unmatched", why: "its amount cannot be determined" };
    }
    const one = ofDecision(decide(instruction, item, today));
    if (one.kind !== "change" && one.kind !== "known") return one;
    const followUp = followUpOf(instruction, item);
    return followUp === null ? one : { ...one, followUp };
  }
  if ("sure" in item && item.sure) {
    return { kind: "unmatched", why: "no collection of this account has these ids" };
  }
  return item.kind === "fee" ? { kind: "passed", words: "a fee" } : PASSED;
}

/**
 * Finds the instruction by our ids; for returns and rejections without an end-to-end id also by mandate and amount, if
 * only one matches. One with another end-to-end id is of another debit, such as a former provider's.
 */
async function instructionFor(
  at: Application,
  item: InstructionItem,
  instructions: Map<string, KnownInstruction>,
  today: IsoDate,
): Promise<KnownInstruction | null> {
  const named = item.ids.references.flatMap((reference) => instructions.get(reference) ?? []);
  // Where both a reversal and its debit are named, the entry is about the reversal.
  const found = named.find(({ reversible_until: until }) => until !== null) ?? named[0];
  if (found !== undefined) return found;
  const { endToEndId, mandateReference } = item.ids;
  if (!wentWrong(item) || endToEndId !== null || mandateReference === null) return null;
  if (item.amount === null || item.currency === null) return null;
  const on = item.bookedOn ?? today;
  const { tx, account, reach } = at;
  const debit = await lockByMandate(tx, account.tenant, reach.gatewayIds, {
    reference: mandateReference,
    amount: formatAmount(item.amount),
    currency: item.currency,
    before: on,
    // A bank rejects before the due date, but books nothing before it.
    dueBy: item.kind === "return" ? on : null,
  });
  if (debit === null) return null;
  const { reference } = debit;
  if (!instructions.has(reference)) {
    const withReversals = await instructionsOf(at, [reference], [reference]);
    // A reversal that is known here has changes of earlier entries that are not written yet.
    for (const [name, one] of withReversals) if (!instructions.has(name)) instructions.set(name, one);
  }
  return instructions.get(reference) ?? null;
}

const EITHER =
  "the debit was reversed, and the bank does not say whether this is about the reversal or a return of the debit: apply it to the one that it is";

const WITHDRAWN =
  "the bank booked a reversal that was withdrawn or rejected here: ask the bank; if the money has gone back, apply it to the payment";

/**
 * Whether the item is a return or a rejection: a debit with a return reason is one, whatever code the bank books it
 * under.
 */
function wentWrong(item: InstructionItem): boolean {
  return item.kind === "reject" || (item.kind === "return" && (item.sure || item.why.code !== null));
}

function ofDecision(decision: Decision): Applied {
  return decision.kind === "known" ? { ...decision, words: "" } : decision;
}

/**
 * An entry that names a withdrawn file or block proves that the bank has that file, while the instruction was sent
 * again: the bank has it twice, and may have everything else in that file.
 */
function followUpOf({ withdrawnFrom = [] }: KnownInstruction, item: InstructionItem): FollowUp | null {
  if (item.kind === "reject") return null;
  const { others } = item.ids;
  const from = withdrawnFrom.find(
    ({ block_id: block, message_id: message }) =>
      others.includes(block) || (message !== null && others.includes(message)),
  );
  return from === undefined ? null : sentAgain(from.message_id);
}

/**
 * Keeps a changed instruction and what was reported, so that later entries of the file see both.
 * @param day of the entry.
 */
function remember(
  { reported, pages }: Pick<Application, "reported" | "pages">,
  instructions: Map<string, KnownInstruction>,
  one: Extract<Applied, { readonly kind: "change" | "known" }>,
  day: IsoDate,
): void {
  for (const { reference, state, on, news } of one.kind === "change" ? one.changes : []) {
    const instruction = instructions.get(reference);
    if (instruction === undefined || news === "fee") continue;
    const settledOn = state === "settled" ? on : instruction.settled_on;
    instructions.set(reference, { ...instruction, state, settled_on: settledOn });
  }
  const report = (key: string): void => {
    reported.add(key);
    reported.add(onDay(key, day));
    pages.report(key);
  };
  if (one.kind === "known" && one.reports !== undefined) report(one.reports);
  const { booking } = one;
  const instruction = booking === null ? undefined : instructions.get(booking.reference);
  if (booking === null || instruction === undefined) return;
  const what = reportableOf(instruction, booking);
  report(reportKey(what, booking.reference));
  if (what === "credit" || what === "debit")
    for (const sum of sumsOf(instruction)) reported.add(reportKey(`part ${what}`, sum));
  const { movement, booked_on: on, bank_reference: bankReference } = booking;
  const booked = { [movement]: { on, bankReference }, ...instruction.booked };
  instructions.set(booking.reference, { ...instruction, booked });
}

type InBlocks = Pick<KnownInstruction, "block_id" | "reference" | "withdrawnBlocks">;

/** The ids under which a bank may book an instruction with others as one sum: also those of withdrawn files. */
function sumsOf({ block_id: block, withdrawnBlocks = [] }: InBlocks): readonly string[] {
  const blocks = block === null ? withdrawnBlocks : [block, ...withdrawnBlocks];
  return blocks.flatMap((one) => [one, fileIdOfBlock(one)]);
}

/** The sums that contain this instruction, by `reportKey`, with its own movement in them. */
function inSums(row: InBlocks): readonly (readonly [string, string])[] {
  return sumsOf(row).flatMap((sum) =>
    (["credit", "debit"] as const).map(
      (movement) => [reportKey(`block ${movement}`, sum), reportKey(movement, row.reference)] as const,
    ),
  );
}

/** Changes and bookings to be written. */
interface Pending {
  readonly changes: CollectionChange[];
  readonly bookings: Booking[];
}

async function write(
  { tx, account, reach, id, deps }: Application,
  { changes, bookings }: Pending,
): Promise<void> {
  await writeChanges(tx, account.tenant, reach.gatewayIds, id, changes, deps.time.now(account.tenant));
  await insertBookings(tx, account.tenant, reach.gatewayIds, id, bookings);
}

/**
 * A status that rejects nothing, or an entry that is not booked yet, shows that the bank has the file that it names: an
 * unclear upload has arrived; of a withdrawn file a person is told, and what was in it is held.
 */
async function noteArrivals(
  { tx, account, reach, deps }: Application,
  items: readonly Item[],
): Promise<void> {
  const { tenant } = account;
  const names = items.flatMap((item) => (item.kind === "note" && item.understood ? item.ids.others : []));
  const messageIds = distinctTexts(names.flatMap((name) => [name, fileIdOfBlock(name)]));
  for (const file of await findUnexpected(tx, tenant, reach.gatewayIds, messageIds)) {
    if (file.status === "unclear") await decideUnclear(tx, tenant, file.id, true, deps.clock.now());
    else await tellOfFile(deps, tx, { tenant, gatewayId: file.gateway_id }, "reported", file);
  }
}

/**
 * The result of each item. This is the only place where items are ignored: an item that changed nothing is ignored if
 * it contains none of our names. An item that names something of ours and was not understood becomes an unmatched
 * entry.
 */
async function conclude(
  at: Application,
  items: readonly Item[],
  applied: readonly Applied[],
  before: number,
): Promise<readonly EntryLine[]> {
  const { tx, account, reach, id, deps } = at;
  const passed = items.filter((_, n) => applied[n]?.kind === "passed");
  const ours = await findOurs(tx, account.tenant, reach.gatewayIds, [
    ...new Set(passed.flatMap(({ ids }) => namesIn(ids))),
  ]);
  const outcomes = items.map((item, n) => {
    const one = applied[n] ?? PASSED;
    return { item, number: before + n + 1, outcome: one.kind === "passed" ? ofPassed(item, one, ours) : one };
  });
  const open = outcomes.flatMap(({ item, number: entry, outcome }) => {
    if (outcome.kind === "unmatched") return [{ entry, item, outcome }];
    if (!("followUp" in outcome) || outcome.followUp === undefined) return [];
    const { why, block } = outcome.followUp;
    return [{ entry, item: { ...item, block } as Item, outcome: { kind: "unmatched", why } as const }];
  });
  const { gatewayIds } = reach;
  const names = open.flatMap(({ item, outcome }) => nameOfUnmatched(item, outcome, gatewayIds) ?? []);
  const onOtherPages = await at.pages.reportedElsewhere(names);
  names.forEach((name) => at.pages.report(name));
  await findDecided(at, open, onOtherPages);
  const { page } = at.pages;
  const unmatched = open.map((one) =>
    newUnmatched({
      ...one,
      id: deps.ids.uuid(),
      account: gatewayIds,
      page,
      repeated: at.repeated,
      decided: at.decided,
      onOtherPages,
    }),
  );
  const now = deps.time.now(account.tenant);
  const kept =
    unmatched.length === 0
      ? new Set<number>()
      : await insertUnmatched(tx, account.tenant, account.id, id, unmatched, now);
  return outcomes.map(({ item, number, outcome }) =>
    lineOf(number, item, outcome.kind === "unmatched" && !kept.has(number) ? WAITS_ALREADY : outcome),
  );
}

/**
 * A line that is known because a person has applied its entry is that entry: another line like it is one of the others.
 * But an entry that itself repeated a line is the second of its kind here, too.
 */
async function findDecided(
  { tx, account, reach, decided }: Application,
  open: readonly { readonly item: Item; readonly outcome: Extract<EntryOutcome, { kind: "unmatched" }> }[],
  onOtherPages: ReadonlyMap<string, number>,
): Promise<void> {
  const firsts = open
    .filter(({ outcome }) => outcome.another === true)
    .flatMap(({ item, outcome }) => entriesLike(item, outcome, reach.gatewayIds) ?? [])
    .filter(({ facts, name }) => !decided.has(facts) && !onOtherPages.has(name));
  if (firsts.length === 0) return;
  const applied = await findApplied(
    tx,
    account.tenant,
    firsts.flatMap(({ identities }) => identities),
  );
  for (const { facts, identities } of firsts) {
    const place = identities.findIndex((identity) => applied.has(identity));
    decided.set(facts, place < 0 ? null : place + 1);
  }
}

const WAITS_ALREADY: EntryOutcome = {
  kind: "known",
  words: "another file reported it: see the unmatched entries",
  booking: null,
};

const PASSED: Extract<Applied, { readonly kind: "passed" }> = { kind: "passed", words: "" };

function ofPassed(
  item: Item,
  { words }: Extract<Applied, { readonly kind: "passed" }>,
  ours: ReadonlySet<string>,
): EntryOutcome {
  if (!namesIn(item.ids).some((name) => ours.has(name))) return { kind: "ignored", words };
  if (item.kind === "note" && item.understood) return { kind: "known", words, booking: null };
  return {
    kind: "unmatched",
    why: `it carries one of our references: ${words || "a movement of another kind"}`,
  };
}
