/**
 * What must always hold, in one numbered list: tests, simulations and `books check` cite a sentence by its number, and print
 * the number with whatever breaks it. docs/invariants.md is generated from here. A number is never used for anything else.
 */

/** Who holds a sentence, and with that where its number has to be found (tests/invariants.test.ts). */
export type Proof = "books check" | "simulation" | "own-bank simulation" | "tests";

export interface Invariant {
  readonly holds: string;
  readonly by: readonly Proof[];
}

const BOOKS = "books check";
const SIMULATION = "simulation";
const BANK = "own-bank simulation";
const TESTS = "tests";

function held(holds: string, ...by: readonly Proof[]): Invariant {
  return Object.freeze({ holds, by });
}

export const INVARIANTS = Object.freeze({
  "SESSION-1": held("A session is paid once at most.", BOOKS, SIMULATION),
  "SESSION-2": held("A session asks the gateway no more often than it may be tried.", SIMULATION),
  "SESSION-3": held("COMPLETED and EXPIRED are final.", SIMULATION),
  "SESSION-4": held(
    "A session is COMPLETED exactly when its payment was accepted, also when that payment came back later.",
    BOOKS,
  ),
  "SESSION-5": held("An order says what its transactions make of it (docs/states.md, Orders).", BOOKS),
  "SESSION-6": held(
    "A lead has one active session; a creation is refused only while that one can be paid or its payment is under way.",
    SIMULATION,
  ),
  "SESSION-7": held("No payment begins when a session's time is over.", SIMULATION),

  "MONEY-1": held(
    "Nobody is debited twice for one thing: a session, a cycle and a reference are each charged once.",
    SIMULATION,
    BANK,
  ),
  "MONEY-2": held(
    "Our record of each reference is what the gateway or the bank has done under it.",
    BOOKS,
    SIMULATION,
    BANK,
  ),
  "MONEY-3": held("Amount and currency are the same on both sides, to the cent.", BOOKS, SIMULATION),
  "MONEY-4": held(
    "All that a gateway holds for us is in our records: the sums of both sides agree.",
    BOOKS,
    SIMULATION,
  ),
  "MONEY-5": held(
    "The refunds of a collection, those under way among them, come to at most what came in and is still there.",
    BOOKS,
    SIMULATION,
    BANK,
  ),
  "MONEY-6": held("A refund goes to the account that was debited.", BOOKS, BANK),
  "MONEY-7": held("No refund is sent of a collection that is known to have come back.", BOOKS, BANK),
  "MONEY-8": held(
    "A transaction counts as given back what its approved refunds are, as about to be what its others are, and is refunded exactly when all of it is.",
    BOOKS,
    SIMULATION,
  ),
  "MONEY-9": held(
    "A transaction is charged back exactly when it has one chargeback that was not taken back, of at most its amount, in its currency.",
    BOOKS,
    SIMULATION,
  ),
  "MONEY-10": held("The end is the same in whatever order the facts are heard of (docs/money.md).", TESTS),
  "MONEY-11": held(
    "A chargeback that comes before its transaction is linked when that comes.",
    SIMULATION,
    TESTS,
  ),
  "MONEY-12": held(
    "A payment that was returned or charged back is money again only when the bank or a person says so.",
    TESTS,
  ),

  "SUBSCRIPTION-1": held(
    "Revenue is what arrived and stayed: approved payments less their refunds and what was charged back.",
    BOOKS,
  ),
  "SUBSCRIPTION-2": held(
    "The successes are the paid cycles, the failures the attempts that failed.",
    BOOKS,
    SIMULATION,
  ),
  "SUBSCRIPTION-3": held(
    "The next date is the due date of the cycle after the newest one; what has ended has none.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),
  "SUBSCRIPTION-4": held(
    "Nothing is collected for a subscription that has ended, but what was asked for before.",
    SIMULATION,
    TESTS,
  ),
  "SUBSCRIPTION-5": held(
    "What ends or delays a subscription is in its status, in whatever order it was heard of.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),

  "CYCLE-1": held("Each cycle that is due is collected once.", SIMULATION, TESTS),
  "CYCLE-2": held("No cycle is collected before it is due.", SIMULATION),
  "CYCLE-3": held("No cycle is skipped while the service runs.", BOOKS, TESTS),
  "CYCLE-4": held(
    "No cycle is presented more than three times by itself, whatever the reason.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),
  "CYCLE-5": held("A cycle counts what was presented of it.", BOOKS, SIMULATION),
  "CYCLE-6": held("A cycle says what became of its transaction.", BOOKS),
  "CYCLE-7": held("Without a schedule there is a cycle only for what was asked for.", BOOKS, SIMULATION),
  "CYCLE-8": held(
    "A cycle is tried again after 3 and 7 days for want of funds, the next day for technology, and else never.",
    BOOKS,
    TESTS,
  ),
  "CYCLE-9": held(
    "A renewal is announced once, with the day on which it will be debited.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),

  "MANDATE-1": held(
    "Nothing is collected under a mandate that was cancelled, rejected or has expired.",
    BOOKS,
    SIMULATION,
    BANK,
  ),
  "MANDATE-2": held(
    "A mandate is debited by the creditor and in the scheme that were signed, unless an amendment says what changed.",
    BOOKS,
    BANK,
  ),
  "MANDATE-3": held("Nothing is due before the notice of its mandate is over.", BOOKS, TESTS),
  "MANDATE-4": held(
    "FRST is said of a mandate once, where the bank asks for it, and then RCUR; OOFF of a single payment; FNAL never.",
    BOOKS,
    BANK,
    TESTS,
  ),
  "MANDATE-5": held("A change of a mandate is announced until a file that tells of it was accepted.", BANK),
  "MANDATE-6": held(
    "A mandate that its bank refused is cancelled; one that was not used for 36 months is expired.",
    BOOKS,
    TESTS,
  ),
  "MANDATE-7": held(
    "Where a bank has to be told where the customer lives, nothing is accepted that no file can say.",
    BANK,
    TESTS,
  ),

  "EVENT-1": held(
    "payment_session.completed is told once of each paid session, and of no other.",
    BOOKS,
    SIMULATION,
  ),
  "EVENT-2": held(
    "payment_session.expired is told once of each session that its time has ended, and of no other.",
    BOOKS,
    SIMULATION,
  ),
  "EVENT-3": held(
    "transaction.created is told once of what was approved or accepted, never of what was declined.",
    BOOKS,
    SIMULATION,
  ),
  "EVENT-4": held(
    "transaction.status_changed is told once of each change, with the status before.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),
  "EVENT-5": held("chargeback.created is told once of each chargeback.", BOOKS, SIMULATION),
  "EVENT-6": held(
    "What an event says is what the record said then: amount, currency, status, references.",
    BOOKS,
    TESTS,
  ),
  "EVENT-7": held("Events of one subject are numbered in the order of their facts.", BOOKS, TESTS),
  "EVENT-8": held(
    "Each event reaches each receiver that wants it, with the same bytes each time.",
    SIMULATION,
  ),
  "EVENT-9": held("Events of one purchase reach a receiver in their order.", SIMULATION),

  "FILE-1": held("What names one of ours is never ignored.", BANK),
  "FILE-2": held("The same booking, told by several files, is one.", TESTS),
  "FILE-3": held("What the bank's files said is taken once by the payment, or stands on a list.", BOOKS),
  "FILE-4": held("A collection is in one file that can reach the bank.", TESTS),

  "LIVE-1": held("When the trouble is over nothing stays open and nothing undelivered.", SIMULATION),
  "LIVE-2": held(
    "Whatever waits has a day on which it ends, or stands on a list that a person sees.",
    BOOKS,
    BANK,
  ),
  "LIVE-3": held(
    "A notice that cannot be written down holds up no other, and a person sees it.",
    BOOKS,
    TESTS,
  ),

  "CALL-1": held("What a caller was told is in the records from then on.", SIMULATION),
  "CALL-2": held("One Idempotency-Key does one thing, however often it is sent.", SIMULATION),
  "CALL-3": held("No call is answered with 500, and no job fails by itself.", SIMULATION, BANK),
});

export type InvariantId = keyof typeof INVARIANTS;

/** docs/invariants.md. */
export function invariantsPage(): string {
  const lines = Object.entries(INVARIANTS).map(
    ([id, { holds, by }]) => `| ${id} | ${holds} | ${by.join(", ")} |`,
  );
  return [
    "<!-- Generated from src/books/invariants.ts: npm run generate. -->",
    "",
    "# What must always hold",
    "",
    "Whatever breaks one of these is printed with its number: by `npm run cli -- books check` on the database of a running service, by the",
    "[simulations](simulation.md), and by the tests that cite it. `tests/invariants.test.ts` checks that each is cited where it is said to be held.",
    "",
    "| Number | What holds | Held by |",
    "|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}
