/** Compares the result of each entry of a bank's file with the bank's books. */
import type { Json } from "../../support/service.ts";
import type { BankFile, Booking, BookingKind, FileLine } from "./bookings.ts";
import type { OnPage, Shop } from "./shop.ts";
import type { World } from "./world.ts";

/** The state of each instruction before a file is read. */
export type States = ReadonlyMap<string, string>;

export async function statesOf(world: World, { tenant }: Shop): Promise<States> {
  const rows = await world.rows("select reference, state from sepa_collections where tenant = $1", [tenant]);
  return new Map(rows.map((row) => [row["reference"] as string, row["state"] as string]));
}

/** Compares the entries of a file one by one. @param id the id of the service's record of the file. */
export async function compareFile(
  world: World,
  shop: Shop,
  file: BankFile,
  id: string,
  before: States,
): Promise<void> {
  const lines = await world.rows(
    "select number, result, reference, detail from sepa_entries where tenant = $1 and file_id = $2 order by number",
    [shop.tenant, id],
  );
  if (lines.length !== file.lines.length) {
    world.wrong(
      `a ${file.kind} of ${file.lines.length} entries has ${lines.length} in the report\n${file.xml}`,
    );
    return;
  }
  const states = new Map(before);
  const silent = await silentOf(world, shop, id);
  for (const [n, told] of file.lines.entries())
    compareLine(world, shop, told, lines[n] as Json, states, silent);
  compareAlike(world, shop, file, lines);
}

/** Movements of the same kind: another one on the same day looks like a repetition. */
const LIKE: Partial<Record<BookingKind, string>> = {
  credit: "credit",
  credit_again: "credit",
  return: "return",
  return_again: "return",
  transfer: "transfer",
  transfer_again: "transfer",
  fee: "fee",
  fee_again: "fee",
};

/**
 * Of several entries of a file about one record, movement and day, at most one is taken for the known movement. A
 * person sees the others.
 */
function compareAlike(world: World, shop: Shop, file: BankFile, lines: readonly Json[]): void {
  const named = file.lines.flatMap(({ booking }, n) => {
    const movement = booking === null ? undefined : LIKE[booking.kind];
    if (booking === null || movement === undefined || booking.naming !== "id") return [];
    const { reference } = booking.of[0] ?? { reference: "" };
    const { result, detail } = lines[n] as { result: string; detail: string };
    const swallowed = result !== "unmatched" && !detail.includes("see the unmatched");
    const what = `${movement} ${reference} ${booking.day}`;
    return [{ what, movement, swallowed, booking: booking.number }];
  });
  comparePages(world, shop, file, named);
  for (const [what, alike] of Map.groupBy(named, (one) => one.what)) {
    const [first] = alike;
    if (first === undefined || alike.length < 2) continue;
    world.coverage.count(`two of one day in one file: ${first.movement}`);
    if (alike.filter(({ swallowed }) => swallowed).length > 1)
      world.wrong(`FILE-3: ${shop.name} is told of ${what} twice in one file, and nobody looks at either`);
  }
}

/** The same for entries on two pages of one statement, each of which is a file. */
function comparePages(
  world: World,
  shop: Shop,
  { kind, account, number, page }: BankFile,
  named: readonly (Omit<OnPage, "page"> & { readonly movement: string })[],
): void {
  if (page === null) return;
  const statement = `${kind} ${account} ${number}`;
  const seen = shop.pages.get(statement) ?? [];
  shop.pages.set(statement, seen);
  for (const { movement, ...line } of named) {
    if (seen.some(({ booking }) => booking === line.booking)) continue;
    const alike = seen.filter((one) => one.page !== page && one.what === line.what);
    if (alike.length > 0) world.coverage.count(`two of one day on two pages: ${movement}`);
    if (line.swallowed && alike.some(({ swallowed }) => swallowed))
      world.wrong(`FILE-3: ${shop.name} is told of ${line.what} on two pages, and nobody looks at either`);
    seen.push({ ...line, page });
  }
}

/** Collections that were settled by silence, without a credit from another file. */
async function silentOf(world: World, { tenant }: Shop, id: string): Promise<ReadonlySet<string>> {
  const rows = await world.rows(
    `select c.reference from sepa_collections c
      where c.tenant = $1 and c.assumed and not exists (
              select from sepa_bookings b
               where b.tenant = c.tenant and b.reference = c.reference and b.movement = 'credit' and b.file_id <> $2)`,
    [tenant, id],
  );
  return new Set(rows.map((row) => row["reference"] as string));
}

const CHANGED = /^(settled|rejected|returned)$/;

function compareLine(
  world: World,
  shop: Shop,
  told: FileLine,
  line: Json,
  states: Map<string, string>,
  silent: ReadonlySet<string>,
): void {
  const { result, detail } = line as { result: string; detail: string };
  const { event, booking } = told;
  const reference = booking?.of[0]?.reference ?? told.rejections[0]?.reference ?? "";
  const what = booking !== null && shop.bank.transfers.has(reference) ? "refund" : "collection";
  const was = states.get(reference) ?? "none";
  world.coverage.count(`${what} ${was} × ${event} → ${result}${detail === "" ? "" : `: ${words(detail)}`}`);
  world.say(
    `  ${event} of ${reference || "?"} ${booking === null ? "" : `[${booking.number} of ${booking.day}] `}(${was}) → ${result} ${detail}`,
  );
  const wrong = (why: string) =>
    world.wrong(
      `${why}: ${event} of ${reference || "?"} (${was}) became ${result} ${detail} [${booking?.naming ?? "report"}]`,
    );
  if (event === "pending" || event === "accepted") {
    if (CHANGED.test(result)) wrong("MONEY-2: what moves no money changed a record");
    if (event === "accepted" && result !== "known") wrong("FILE-1: a status of ours was not understood");
    return;
  }
  for (const { reason } of booking === null ? told.rejections : []) world.coverage.count(`reason ${reason}`);
  if (booking !== null && booking.reason !== "") world.coverage.count(`reason ${booking.reason}`);
  if (booking === null) return compareReport(shop, told, result, was, states, wrong);
  compareBooking(shop, booking, { result, detail, was, silent: silent.has(reference) }, states, wrong);
}

function compareReport(
  shop: Shop,
  { event, rejections }: FileLine,
  result: string,
  was: string,
  states: Map<string, string>,
  wrong: (why: string) => void,
): void {
  const before = new Map(rejections.map(({ reference }) => [reference, states.get(reference)]));
  for (const { reference } of rejections) {
    shop.refused.add(reference);
    // A rejection of a paid collection returns it; it may be booked again later.
    if (result === "rejected" || result === "returned")
      states.set(reference, states.get(reference) === "settled" ? "returned" : result);
  }
  if (result === "ignored") wrong("FILE-1: a report about ours was ignored");
  const open =
    rejections.length > 0 && rejections.every(({ reference }) => before.get(reference) === "batched");
  if (event !== "reject") {
    if (open && result !== "rejected") wrong("MONEY-2: a block that was refused was not");
    return;
  }
  const wanted: Readonly<Record<string, RegExp>> = {
    batched: /^rejected$/,
    settled: /^(returned|unmatched|known)$/,
    returned: /^known$/,
    rejected: /^known$/,
    accepted: /^unmatched$/,
  };
  if (!(wanted[was] ?? /./).test(result)) wrong("MONEY-2: a rejection was not taken");
}

/** Movements that no record can have had before, so a person has to decide them. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  "credit_again",
  "credit_ahead",
  "return_again",
  "return_part",
  "foreign_currency",
  "recredit",
  "transfer_again",
  "transfer_back",
  "fee_again",
  "sum_less",
  "sum_part",
]);

const BASE: Readonly<Record<string, RegExp>> = {
  credit_again: /^(credit|sum.*)$/,
  credit_ahead: /^(credit|sum.*)$/,
  return_again: /^return$/,
  recredit: /^return$/,
  transfer_again: /^transfer(_sum)?$/,
  fee_again: /^fee$/,
};

/**
 * The states in which the service takes a repeated movement for the first one, because the first has not been applied
 * or a person has undone it.
 */
const STILL_OPEN: Readonly<Record<string, RegExp>> = {
  credit_again: /^batched$/,
  credit_ahead: /^batched$/,
  return_again: /^(batched|settled)$/,
  transfer_again: /^batched$/,
};

function hasTold({ reported }: Shop, kind: RegExp, reference: string): boolean {
  return reported
    .values()
    .some(({ booking }) => kind.test(booking.kind) && booking.of.some((one) => one.reference === reference));
}

function compareBooking(
  shop: Shop,
  booking: Booking,
  {
    result,
    detail,
    was,
    silent,
  }: {
    readonly result: string;
    readonly detail: string;
    /** The record's state before, and whether it was settled by silence. */
    readonly was: string;
    readonly silent: boolean;
  },
  states: Map<string, string>,
  wrong: (why: string) => void,
): void {
  const { kind, naming, of, marked } = booking;
  if (kind === "stranger" || kind === "lookalike") {
    if (CHANGED.test(result)) wrong("MONEY-2: what is not ours changed a record");
    if (kind === "stranger" && result !== "ignored") wrong("FILE-1: a stranger's money was not ignored");
    return;
  }
  const before = shop.reported.get(booking.number);
  // Of two movements that look the same the service takes the one reported first as the first, whichever the bank
  // booked first.
  const base = BASE[kind];
  const first =
    (base !== undefined && !of.some(({ reference }) => hasTold(shop, base, reference))) ||
    (STILL_OPEN[kind]?.test(was) ?? false) ||
    // The first credit was in a sum that waits for a person, and silence has settled the collection.
    ((kind === "credit_again" || kind === "credit_ahead") && silent);
  const seen = before ?? { booking, changed: 0, waited: false };
  const bare = naming === "nothing" && !marked;
  // A debit entry without a code and without ids cannot be recognised by the merchant.
  if (bare && result === "ignored") return;
  shop.reported.set(booking.number, seen);
  if (result === "ignored" && !bare) wrong("FILE-1: what names ours was ignored");
  if (result === "unmatched") seen.waited = true;
  if (CHANGED.test(result) && detail !== "its fee") {
    seen.changed += 1;
    if (seen.changed > 1) wrong("FILE-2: one booking changed a record twice");
    if (FOR_PEOPLE.has(kind) && !first) wrong("MONEY-12: what only a person can place changed a record");
    if (kind === "fee") wrong("MONEY-3: a fee was taken for a return");
  }
  if (kind.startsWith("fee") && detail.includes("the file asked for"))
    wrong("MONEY-3: a fee was compared with the amount of its payment");
  const fitted = fits(shop, booking, states);
  if (CHANGED.test(result) && detail !== "its fee")
    for (const { reference } of of) states.set(reference, result);
  if (before !== undefined) return;
  if ((kind === "sum" || kind === "transfer_sum") && fitted && result !== "settled")
    wrong("MONEY-2: a sum that fits was not taken");
  const alone = naming === "mandate" && marked && onlyOne(shop, booking);
  if (
    kind === "return" &&
    alone &&
    /^(batched|settled)$/.test(was) &&
    result !== "returned" &&
    !shop.byHand.has(of[0]?.reference ?? "")
  )
    wrong("MONEY-2: a return of the only debit of its mandate was not taken");
  if (FOR_PEOPLE.has(kind) && !first && result !== "unmatched") wrong("FILE-3: nobody is told of a movement");
  if (kind === "credit" && was === "batched" && result !== "settled")
    wrong("MONEY-2: money for a collection was not taken");
  // If another fee of the day was reported before, that one is the first.
  const isOther = hasTold(shop, /^fee_again$/, of[0]?.reference ?? "");
  if (kind === "fee" && was === "returned" && result === "known" && !isOther)
    wrong("FILE-3: a fee was swallowed");
  if (kind === "credit" && was === "rejected" && result !== "unmatched")
    wrong("FILE-3: money for what was rejected was swallowed");
  const named = naming === "id" || naming === "instruction";
  if (kind === "return" && named && was === "batched" && result !== "returned")
    wrong("MONEY-2: a return was not taken");
  if (kind === "return" && named && was === "settled" && result !== "returned" && result !== "unmatched")
    wrong("MONEY-2: a return was not taken");
  if (kind === "transfer" && was === "batched" && result !== "settled")
    wrong("MONEY-2: a refund that left was not taken");
  if (kind === "reversal" && marked && was === "batched" && result !== "settled")
    wrong("MONEY-2: a reversal that left was not taken");
  if (kind === "reversal" && !marked && CHANGED.test(result) && was === "batched")
    wrong("MONEY-12: what may be a return or a reversal was guessed");
  if (kind === "transfer_sum" && was === "batched" && result === "ignored")
    wrong("FILE-1: refunds that left as one sum were ignored");
}

/** Whether the states of all instructions of a block or file are those that the bank's sum is for. */
export function fits({ bank }: Shop, { of, naming }: Booking, states: ReadonlyMap<string, string>): boolean {
  const [first] = of;
  if (first === undefined || (naming !== "block" && naming !== "file")) return false;
  const isIn = (one: { readonly blockId: string; readonly messageId: string }) =>
    naming === "block" ? one.blockId === first.blockId : one.messageId === first.messageId;
  const debits = [...bank.debits.values()]
    .filter(isIn)
    .map(({ reference, rejected }) => ({ reference, rejected }));
  const transfers = [...bank.transfers.values()]
    .filter(isIn)
    .map(({ reference, fate }) => ({ reference, rejected: fate === "rejected" }));
  return [...debits, ...transfers].every(
    ({ reference, rejected }) => states.get(reference) === (rejected ? "rejected" : "batched"),
  );
}

/** The scheme allows a return for this long after the debit. Later the mandate's reference alone proves nothing. */
const RETURNED_MONTHS_MAX = 13;

/** Whether the bank has only one debit of this amount under this mandate, including its former references. */
function onlyOne({ bank }: Shop, { of, day }: Booking): boolean {
  const [first] = of;
  if (first === undefined) return false;
  const due = bank.debits.get(first.reference)?.dueDate ?? day;
  if (Temporal.PlainDate.from(due).add({ months: RETURNED_MONTHS_MAX }).toString() <= day) return false;
  const root = bank.rootOf(first.mandate);
  return (
    [...bank.debits.values()].filter((one) => one.cents === first.cents && bank.rootOf(one.mandate) === root)
      .length === 1
  );
}

/** The text without parts that differ in each run. */
function words(detail: string): string {
  return detail
    .replaceAll(/TXN-[0-9A-Z-]+|PSB-[0-9A-Z-]+/g, "…")
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, "DAY")
    .replaceAll(/\d+(\.\d\d)?/g, "N");
}
