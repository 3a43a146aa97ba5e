/**
 * The invariants, in one numbered list: tests, simulations and `books check` cite a sentence by its number, and print
 * the number with whatever breaks it. docs/invariants.md is generated from here. A number is never used for anything else.
 */

/** Who checks an invariant, which determines where its number has to be found (tests/invariants.test.ts). */
export type HeldBy = "books check" | "simulation" | "own-bank simulation" | "tests";

interface Invariant {
  readonly holds: string;
  readonly by: readonly HeldBy[];
}

const BOOKS = "books check";
const SIMULATION = "simulation";
const BANK = "own-bank simulation";
const TESTS = "tests";

function held(holds: string, ...by: readonly HeldBy[]): Invariant {
  return Object.freeze({ holds, by });
}

export const INVARIANTS = Object.freeze({
  "SESSION-1": held("A session is paid at most once.", BOOKS, SIMULATION),
  "SESSION-2": held("A session makes no more attempts than it allows.", SIMULATION),
  "SESSION-3": held("COMPLETED and EXPIRED are final.", SIMULATION),
  "SESSION-4": held(
    "A session is COMPLETED exactly when its payment was accepted, even if the payment was returned later.",
    BOOKS,
  ),
  "SESSION-5": held("An order's status follows from its transactions (docs/states.md, Orders).", BOOKS),
  "SESSION-6": held(
    "A lead has one active session; a creation is refused only while that session can be paid or its payment is in progress.",
    SIMULATION,
  ),
  "SESSION-7": held("No payment begins after a session has expired.", SIMULATION),

  "MONEY-1": held(
    "No customer is debited twice: a session, a cycle and a reference are each charged once.",
    BOOKS,
    SIMULATION,
    BANK,
  ),
  "MONEY-2": held(
    "The record of each reference matches what the gateway or the bank did with it.",
    BOOKS,
    SIMULATION,
    BANK,
  ),
  "MONEY-3": held("Amount and currency are the same on both sides, to the cent.", BOOKS, SIMULATION),
  "MONEY-4": held("The sums at a gateway and in the records agree.", BOOKS, SIMULATION),
  "MONEY-5": held(
    "The refunds of a collection, including those in progress, never exceed what came in and was not returned.",
    BOOKS,
    SIMULATION,
    BANK,
  ),
  "MONEY-6": held("A refund goes to the account that was debited.", BOOKS, BANK),
  "MONEY-7": held("No refund is sent for a collection that is known to be returned.", BOOKS, BANK),
  "MONEY-8": held(
    "A transaction's refunded amount is the sum of its approved refunds, its reserved amount includes open ones, and it is refunded exactly when the whole amount is.",
    BOOKS,
    SIMULATION,
  ),
  "MONEY-9": held(
    "A transaction is charged back exactly when it has one chargeback that was not reversed, of at most its amount, in its currency.",
    BOOKS,
    SIMULATION,
  ),
  "MONEY-10": held(
    "The final state does not depend on the order in which facts arrive (docs/money.md).",
    TESTS,
  ),
  "MONEY-11": held(
    "A chargeback that arrives before its transaction is linked when the transaction arrives.",
    SIMULATION,
    TESTS,
  ),
  "MONEY-12": held("A returned or charged back payment is reinstated only by the bank or a person.", TESTS),

  "MONEY-13": held("A refund that is held back was not sent to its gateway.", BOOKS, SIMULATION, TESTS),

  "SUBSCRIPTION-1": held("Revenue is approved payments less refunds and chargebacks.", BOOKS),
  "SUBSCRIPTION-2": held(
    "The success count is the number of paid renewals, the failure count the number of failed attempts.",
    BOOKS,
    SIMULATION,
  ),
  "SUBSCRIPTION-3": held(
    "The next billing date is the due date of the cycle after the latest; an ended subscription has none.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),
  "SUBSCRIPTION-4": held(
    "Nothing is collected for an ended subscription except what was requested before.",
    SIMULATION,
    TESTS,
  ),
  "SUBSCRIPTION-5": held(
    "A subscription's status reflects everything that ends or delays it, in any order of arrival.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),

  "CYCLE-1": held("Each cycle that is due is collected once.", BOOKS, SIMULATION, TESTS),
  "CYCLE-2": held("No cycle is collected before it is due.", SIMULATION),
  "CYCLE-3": held("No cycle is skipped while the service runs.", BOOKS, TESTS),
  "CYCLE-4": held("No cycle is presented automatically more than three times.", BOOKS, SIMULATION, TESTS),
  "CYCLE-5": held("A cycle counts its presentations.", BOOKS, SIMULATION),
  "CYCLE-6": held("A cycle's status matches its transaction.", BOOKS),
  "CYCLE-7": held(
    "A subscription without a schedule has cycles only for requested collections.",
    BOOKS,
    SIMULATION,
  ),
  "CYCLE-8": held(
    "A cycle is retried after the days that its tenant has chosen (3 and 7) for insufficient funds, the next day for technical errors, and otherwise never.",
    BOOKS,
    TESTS,
  ),
  "CYCLE-9": held(
    "A renewal is announced once, and again when its mandate is amended or its day cannot be met, with the day on which it will be debited.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),
  "CYCLE-10": held(
    "An attempt at a cycle is not sent to the bank once another attempt has paid the cycle.",
    BOOKS,
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
  "MANDATE-3": held("Nothing is due before the mandate's pre-notification period ends.", BOOKS, TESTS),
  "MANDATE-4": held(
    "A mandate uses FRST once, where the bank requires it, then RCUR; a single payment uses OOFF; FNAL is never used.",
    BOOKS,
    BANK,
    TESTS,
  ),
  "MANDATE-5": held("A mandate's amendment is reported until a file with it was accepted.", BANK),
  "MANDATE-6": held(
    "A mandate that its bank rejected is cancelled; a mandate unused for 36 months is expired.",
    BOOKS,
    BANK,
    TESTS,
  ),
  "MANDATE-7": held(
    "Where a bank requires the customer's address, no payment is accepted that a file cannot express.",
    BANK,
    TESTS,
  ),
  "MANDATE-8": held(
    "If a tenant requires it, no renewal is collected whose customer was not notified in time.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),

  "EVENT-1": held(
    "payment_session.completed is emitted once for each paid session, and for no other.",
    BOOKS,
    SIMULATION,
  ),
  "EVENT-2": held(
    "payment_session.expired is emitted once for each session that timed out, and for no other.",
    BOOKS,
    SIMULATION,
  ),
  "EVENT-3": held(
    "transaction.created is emitted once for each approved or accepted transaction, never for a declined one.",
    BOOKS,
    SIMULATION,
  ),
  "EVENT-4": held(
    "transaction.status_changed is emitted once for each change, with the previous status.",
    BOOKS,
    SIMULATION,
    TESTS,
  ),
  "EVENT-5": held("chargeback.created is emitted once for each chargeback.", BOOKS, SIMULATION),
  "EVENT-6": held(
    "An event's amount, currency, status and references are those of the record at that time.",
    BOOKS,
    TESTS,
  ),
  "EVENT-7": held("Events of one subject are numbered in the order of their facts.", BOOKS, TESTS),
  "EVENT-8": held("Each event reaches each subscribed receiver, with the same bytes each time.", SIMULATION),
  "EVENT-9": held("Events of one subject reach a receiver in their order.", SIMULATION, TESTS),
  "EVENT-10": held(
    "No more requests are under way to a receiver than its max_in_flight, and of each subject one.",
    SIMULATION,
    TESTS,
  ),

  "FILE-1": held("An entry with one of our references is never ignored.", BANK),
  "FILE-2": held("The same booking in several files counts once.", TESTS),
  "FILE-3": held(
    "Each entry of the bank's files is applied to its payment once, or is on the list of unmatched entries.",
    BOOKS,
  ),
  "FILE-4": held("A collection is in at most one file that can reach the bank.", TESTS),
  "FILE-5": held(
    "A file reaches the bank only with the approvals of different people that its account asked for.",
    BOOKS,
    BANK,
    TESTS,
  ),

  "LIVE-1": held("After a failure is repaired nothing stays open or undelivered.", SIMULATION),
  "LIVE-2": held("Everything that waits has a deadline, or is on a list that a person sees.", BOOKS, BANK),
  "LIVE-3": held(
    "A notice that cannot be recorded does not delay others, and a person sees it.",
    BOOKS,
    TESTS,
  ),

  "CALL-1": held("What a caller was answered stays in the records.", SIMULATION),
  "CALL-2": held("One Idempotency-Key does one thing, however often it is sent.", SIMULATION),
  "CALL-3": held("No request is answered with 500, and no job fails.", SIMULATION, BANK),
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
    "# Invariants",
    "",
    "A violation is printed with its number by `npm run cli -- books check` on the database of a running service, by the",
    "[simulations](simulation.md) and by the tests that cite it. `tests/invariants.test.ts` checks these citations.",
    "",
    "| Number | What holds | Held by |",
    "|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}
