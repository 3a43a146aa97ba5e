/**
 * Compares each collection with the reference model: applies its facts to the model and compares the result with its
 * record.
 */
import type { Reader } from "../db/database.ts";
import { centsFromDatabase, formatAmount, cents, type Cents } from "../lib/money.ts";
import {
  FIRST,
  readCollections,
  readFacts,
  type BatchFacts,
  type ChargebackFactRow,
  type CollectionRow,
  type NewsFactRow,
  type RefundFactRow,
} from "./collections-store.ts";
import type { InvariantId } from "./invariants.ts";
import { expected, type Expected, type Fact } from "./money-model.ts";
import { isOpen } from "../payments/transaction.ts";
import { CLOCKS_APART_MINUTES } from "./rule-store.ts";

export interface BrokenInvariant {
  readonly tenantId: string;
  readonly invariant: InvariantId;
  readonly words: string;
}

interface CheckedCollections {
  readonly differences: readonly BrokenInvariant[];
  /** All records are correct, but more money has left than came in. */
  readonly losses: readonly BrokenInvariant[];
}

/** The records of one collection. */
interface Kept {
  readonly row: CollectionRow;
  readonly refunds: readonly RefundFactRow[];
  readonly news: readonly NewsFactRow[];
  readonly chargebacks: readonly ChargebackFactRow[];
}

const BATCH = 5_000;

/**
 * Checks every collection of every tenant, in batches.
 * @param most the limit of reported findings of each kind.
 */
export async function checkCollections(tx: Reader, most: number): Promise<CheckedCollections> {
  const differences: BrokenInvariant[] = [];
  const losses: BrokenInvariant[] = [];
  for (let after = FIRST; ;) {
    const rows = await readCollections(tx, after, BATCH);
    const last = rows.at(-1);
    if (last === undefined) return { differences, losses };
    for (const kept of keptOf(rows, await readFacts(tx, after, last))) {
      const outcome = outcomeOf(kept);
      if (differences.length < most) differences.push(...foundIn(kept.row, differencesOf(kept, outcome)));
      if (losses.length < most) losses.push(...foundIn(kept.row, lossOf(kept, outcome)));
    }
    if (rows.length < BATCH) return { differences, losses };
    after = last;
  }
}

function keptOf(rows: readonly CollectionRow[], { refunds, news, chargebacks }: BatchFacts): readonly Kept[] {
  const place = ({ tenant, of }: { readonly tenant: number; readonly of: string }) => `${tenant} ${of}`;
  const [refundsOf, newsOf, chargebacksOf] = [
    Map.groupBy(refunds, place),
    Map.groupBy(news, place),
    Map.groupBy(chargebacks, place),
  ];
  return rows.map((row) => {
    const key = place({ tenant: row.tenant, of: row.id });
    return {
      row,
      refunds: refundsOf.get(key) ?? [],
      news: newsOf.get(key) ?? [],
      chargebacks: chargebacksOf.get(key) ?? [],
    };
  });
}

/** A refund's file and what takes its debit back may come from two clocks: only a file that is later by both is wrong. */
function outcomeOf(kept: Kept): Expected {
  const collection = { cents: centsFromDatabase(kept.row.amount), completedAt: null };
  const outcome = expected(collection, factsOf(kept, 0));
  if (!outcome.wrong.includes("MONEY-7")) return outcome;
  const { wrong } = expected(collection, factsOf(kept, CLOCKS_APART_MINUTES * 60_000));
  return wrong.includes("MONEY-7")
    ? outcome
    : { ...outcome, wrong: outcome.wrong.filter((one) => one !== "MONEY-7") };
}

/**
 * In the model's order: the debit up to its settlement, requests to return it, and everything later.
 * @param early by how many milliseconds refunds may have been sent earlier than their files say.
 */
function factsOf(kept: Kept, early: number): readonly Fact[] {
  const debit = kept.row.is_at_bank ? bankFacts(kept) : gatewayFacts(kept);
  const isIn = debit.findIndex(({ fact }) => ["paid", "settled", "reinstated"].includes(fact.kind));
  const asked = kept.refunds
    .filter(({ status }) => status !== "declined")
    .map(({ reference: refund, amount }): Fact => ({
      kind: "refund_asked",
      refund,
      cents: centsFromDatabase(amount),
    }));
  // At equal times, money that left comes first.
  const later = [
    ...kept.refunds.flatMap((one) => refundFacts(one, early)),
    ...debit.slice(isIn + 1),
  ].toSorted((a, b) => a.at - b.at);
  return [
    ...debit.slice(0, isIn + 1).map(({ fact }) => fact),
    ...(isIn < 0 ? later.map(({ fact }) => fact) : []),
    ...asked,
    ...(isIn < 0 ? [] : later.map(({ fact }) => fact)),
  ];
}

/** Used if no time is recorded. */
const AT_LAST = Number.MAX_SAFE_INTEGER;

interface FactAt {
  readonly fact: Fact;
  /** In milliseconds; facts of the same time keep their order. */
  readonly at: number;
}

const factAt = (fact: Fact, at: number): FactAt => ({ fact, at });

/** For a gateway with its own books, our record gives the debit's facts; chargebacks have their own records. */
function gatewayFacts({ row, chargebacks }: Kept): readonly FactAt[] {
  const start: Fact["kind"] =
    row.status === "pending" ? "accepted" : row.status === "declined" ? "refused" : "paid";
  return [
    ...(isOpen(row.status) ? [] : [factAt({ kind: start }, 0)]),
    ...chargebacks.flatMap((one) => chargebackFacts(one)),
  ];
}

/** For a bank account: its notices, what people entered, and last the state of the instruction. */
function bankFacts({ row, news, chargebacks }: Kept): readonly FactAt[] {
  const { bank_state: state } = row;
  if (state === null) return isOpen(row.status) ? [] : [factAt({ kind: "refused" }, 0)];
  const start = { mandate_only: "paid", refused: "refused", fenced: "refused" } as const;
  const first: Fact["kind"] = start[state as keyof typeof start] ?? "accepted";
  const byPeople = chargebacks.filter(({ source }) => source === "manual" || source === "csv_import");
  // The bank's notice shows which of these were reversed.
  const later = [
    ...inOrder(news.flatMap(newsFacts)),
    ...byPeople.map((one) => chargebackFacts(one)[0] as FactAt),
  ];
  const end = { settled: "settled", returned: "charged_back", rejected: "returned" } as const;
  const last = end[state as keyof typeof end];
  return [
    factAt({ kind: first }, 0),
    ...later.toSorted((a, b) => a.at - b.at),
    ...(last === undefined
      ? []
      : [factAt(last === "charged_back" ? { kind: last, cents: null } : { kind: last }, AT_LAST)]),
  ];
}

/**
 * News are numbered and were applied by instances whose clocks may differ: none is treated as older than the one before
 * it.
 */
function inOrder(news: readonly FactAt[]): readonly FactAt[] {
  let latest = 0;
  return news.map(({ fact, at }) => {
    latest = Math.max(latest, at);
    return { fact, at: latest };
  });
}

function newsFacts({ kind, amount, bank_fee: fee, at }: NewsFactRow): readonly FactAt[] {
  const when = at.getTime();
  const ofFee = fee === null ? [] : [factAt({ kind: "fee", cents: centsFromDatabase(fee) }, when)];
  if (kind === "fee") return ofFee;
  if (kind !== "charged_back") return [factAt({ kind }, when)];
  return [factAt({ kind, cents: amount === null ? null : centsFromDatabase(amount) }, when), ...ofFee];
}

/** A chargeback that was reversed was followed by its money. */
function chargebackFacts({ amount, withdrawn, at }: ChargebackFactRow): readonly FactAt[] {
  const when = at.getTime();
  const back = factAt({ kind: "charged_back", cents: centsFromDatabase(amount) }, when);
  return withdrawn ? [back, factAt({ kind: "reinstated" }, when)] : [back];
}

/** For an account at a bank, what its books say; while a notice is on its way, and at other gateways, our record. */
function refundFacts(
  { reference: refund, status, bank_state: state, is_on_its_way, sent_at }: RefundFactRow,
  early: number,
): readonly FactAt[] {
  if (status === "declined" || isOpen(status)) return [];
  const ours: Fact["kind"] = status === "approved" ? "refund_made" : "refund_accepted";
  const kind = state === null || is_on_its_way ? ours : (REFUND_OF[state] ?? ours);
  return [
    ...(sent_at === null ? [] : [factAt({ kind: "refund_sent", refund }, sent_at.getTime() - early)]),
    factAt({ kind, refund }, AT_LAST),
  ];
}

const REFUND_OF: Readonly<Record<string, "refund_accepted" | "refund_made" | "refund_refused">> = {
  accepted: "refund_accepted",
  batched: "refund_accepted",
  settled: "refund_made",
  rejected: "refund_refused",
  refused: "refund_refused",
  fenced: "refund_refused",
};

type Difference = readonly [InvariantId, string];

function differencesOf(kept: Kept, outcome: Expected): readonly Difference[] {
  const { row } = kept;
  if (isOpen(row.status)) return [];
  const status = ofStatus(kept, outcome);
  return [
    ...(status === null ? [] : [status]),
    ...ofCounters(kept, outcome),
    ...(status === null ? ofChargebacks(kept, outcome) : []),
    ...ofRefunds(kept, outcome),
    ...ofWrong(kept, outcome),
  ];
}

/** Compares the status with where the money is. */
function ofStatus({ row, chargebacks }: Kept, outcome: Expected): Difference | null {
  const { reference, status, bank_state: bank, is_on_its_way, is_at_bank } = row;
  if (status === outcome.status || is_on_its_way) return null;
  if (is_at_bank && bankDiffers(row, outcome))
    return ["MONEY-2", `${reference} is ${bank ?? "unknown"} in the bank's books but ${status} here.`];
  if (status === "charged_back")
    return ["MONEY-9", `${reference} is charged back, but no chargeback is recorded.`];
  if (chargebacks.some(({ withdrawn }) => !withdrawn))
    return ["MONEY-9", `There is a chargeback of ${reference}, which is ${status}.`];
  return [
    "MONEY-8",
    `${reference} is ${status}, but ${formatAmount(outcome.refunded)} of its ${row.amount} is refunded.`,
  ];
}

/** The bank's books on a debit do not include its refunds. */
function bankDiffers({ status }: CollectionRow, outcome: Expected): boolean {
  return (
    (status === "refunded" ? "approved" : status) !==
    (outcome.status === "refunded" ? "approved" : outcome.status)
  );
}

function ofCounters({ row }: Kept, outcome: Expected): readonly Difference[] {
  const { reference, refunded, refund_claimed: claimed } = row;
  const [given, taken] = [formatAmount(outcome.refunded), formatAmount(outcome.claimed)];
  return [
    ...(refunded === given
      ? []
      : ([
          ["MONEY-8", `${reference} has ${refunded} refunded; its approved refunds total ${given}.`],
        ] as const)),
    ...(claimed === taken
      ? []
      : ([
          [
            "MONEY-8",
            `${reference} has ${claimed} refunded or reserved for refunds; its refunds total ${taken}.`,
          ],
        ] as const)),
  ];
}

function ofChargebacks({ row, chargebacks }: Kept, outcome: Expected): readonly Difference[] {
  const { reference, amount, currency, is_on_its_way } = row;
  const tooMuch = chargebacks
    .filter((one) => one.currency !== currency || centsFromDatabase(one.amount) > centsFromDatabase(amount))
    .map((one): Difference => [
      "MONEY-9",
      `${one.amount} ${one.currency} of ${reference} was charged back, but it collected ${amount} ${currency}.`,
    ]);
  if (tooMuch.length > 0 || is_on_its_way) return tooMuch;
  const recorded = chargebacks.map((one) => inWords(centsFromDatabase(one.amount), one.withdrawn));
  const wanted = outcome.chargebacks.map((one) => inWords(one.cents, one.withdrawn));
  if (recorded.toSorted().join() !== wanted.toSorted().join())
    return [
      [
        "MONEY-9",
        `The chargebacks of ${reference} are ${list(recorded)}; the facts require ${list(wanted)}.`,
      ],
    ];
  return ofFees(reference, chargebacks, outcome);
}

const inWords = (amount: Cents, withdrawn: boolean) =>
  `${formatAmount(amount)}${withdrawn ? " taken back" : ""}`;
const list = (words: readonly string[]) => (words.length === 0 ? "none" : words.toSorted().join(", "));

/** Fees are only known from the bank's files. */
function ofFees(
  reference: string,
  chargebacks: readonly ChargebackFactRow[],
  outcome: Expected,
): readonly Difference[] {
  const now = chargebacks.find(({ withdrawn, source }) => !withdrawn && source === "reconciliation");
  const fee = outcome.chargebacks.find(({ withdrawn }) => !withdrawn)?.fee ?? null;
  const wanted = fee === null ? null : formatAmount(fee);
  if (now === undefined || now.bank_fee === wanted) return [];
  return [
    [
      "MONEY-3",
      `The fee of the chargeback of ${reference} is ${now.bank_fee ?? "none"}; the bank's files say ${wanted ?? "none"}.`,
    ],
  ];
}

function ofRefunds({ row, refunds }: Kept, outcome: Expected): readonly Difference[] {
  return refunds
    .filter(({ status, is_on_its_way }) => !isOpen(status) && !is_on_its_way)
    .filter(({ reference, status, bank_state: bank }) =>
      status === "declined"
        ? bank !== null && REFUND_OF[bank] !== "refund_refused"
        : outcome.refunds[reference] !== status || (row.is_at_bank && bank === null),
    )
    .map(({ reference, status, bank_state: bank }): Difference => [
      "MONEY-2",
      `${reference} is ${bank ?? "unknown"} in the bank's books but ${status} here.`,
    ]);
}

function ofWrong({ row, refunds }: Kept, outcome: Expected): readonly Difference[] {
  const { reference, amount, currency } = row;
  const names = refunds
    .filter(({ status }) => status !== "declined")
    .map((one) => one.reference)
    .toSorted()
    .join(", ");
  const waiting = refunds.filter(
    ({ status, bank_state, sent_at, is_carried }) =>
      status === "pending" && bank_state !== null && sent_at === null && !is_carried,
  );
  const waits = formatAmount(cents(waiting.reduce((sum, one) => sum + centsFromDatabase(one.amount), 0)));
  const came = outcome.debit === "in" || outcome.debit === "back" ? amount : "0.00";
  return [
    ...(outcome.wrong.includes("MONEY-5")
      ? ([
          [
            "MONEY-5",
            `${reference} brought in ${came} ${currency}, but its refunds ${names} total ${formatAmount(outcome.claimed)}.`,
          ],
        ] as const)
      : []),
    ...(outcome.wrong.includes("MONEY-7")
      ? ([
          ["MONEY-7", `${reference} had come back when a file with its refunds ${names} was written.`],
        ] as const)
      : []),
    ...(outcome.debit === "back" && waiting.length > 0
      ? ([
          ["MONEY-7", `${reference} came back, but its refunds ${names} of ${waits} are still pending.`],
        ] as const)
      : []),
  ];
}

/** A refund had been sent when the debit was returned: all records are correct, but the money has left twice. */
function lossOf({ row, refunds }: Kept, outcome: Expected): readonly Difference[] {
  if (outcome.customerPaid >= 0 || outcome.wrong.includes("MONEY-5")) return [];
  const gone = refunds.filter(
    ({ status, sent_at }) => status === "approved" || (sent_at !== null && status !== "declined"),
  );
  const given = gone.reduce((sum, one) => sum + centsFromDatabase(one.amount), 0);
  const back = outcome.chargebacks.find(({ withdrawn }) => !withdrawn)?.cents ?? 0;
  const amounts = { left: given + back, given, back, lost: -outcome.customerPaid };
  const [left, byRefunds, toDebtor, lost] = Object.values(amounts).map((amount) =>
    formatAmount(cents(amount)),
  );
  const names = gone
    .map(({ reference }) => reference)
    .toSorted()
    .join(", ");
  return [
    [
      "MONEY-5",
      `${row.reference} brought in ${row.amount} ${row.currency}, and ${left} has left: ${byRefunds} by the refunds ${names}, ` +
        `${toDebtor} back to the debtor. A loss of ${lost}.`,
    ],
  ];
}

function foundIn(
  { tenant_id: tenantId }: CollectionRow,
  all: readonly Difference[],
): readonly BrokenInvariant[] {
  return all.map(([invariant, words]) => ({ tenantId, invariant, words }));
}
