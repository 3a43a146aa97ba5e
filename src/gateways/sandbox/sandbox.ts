/** The sandbox: a bank that moves no money and keeps its own books, with a test IBAN for each possible course of a payment. */
import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "../../lib/schema.ts";
import { SECOND_MS } from "../../lib/clock.ts";
import { formatAmount } from "../../lib/money.ts";
import type {
  Adapter,
  AdapterParts,
  Collection,
  Gateway,
  GatewayAccount,
  News,
  StatusNews,
  Outcome,
  Refund,
  RefundOutcome,
} from "../gateway.ts";
import { CREDITOR_SETTINGS, creditorProblems } from "../../mandates/creditor.ts";
import { reasonOf } from "../../sepa/reasons.ts";
import { NO_FUNDS, scenarioOf, PAGE_ACCOUNTS, type Scenario } from "./scenarios.ts";
import {
  fence,
  findBook,
  markReported,
  answerBook,
  openBook,
  bookRefund,
  unreported,
  wasRefused,
  type Account,
  type Book,
  type BookState,
  type NewBook,
} from "./store.ts";

const SLOW_MS = 3 * SECOND_MS;
/** Settings of the creditor only, so that every kind of mandate can be tried without a bank. */
const SETTINGS = Type.Object(CREDITOR_SETTINGS);
const NO_CREDENTIALS = Type.Object({});

/** The adapter named `sandbox`. */
export function sandboxAdapter(parts: AdapterParts): Adapter {
  return {
    name: "sandbox",
    displayName: "Sandbox",
    capabilities: {
      currencies: ["EUR"],
      verification: true,
      asynchronous: true,
      refunds: true,
      reversals: false,
      testModeOnly: true,
    },
    testAccounts: PAGE_ACCOUNTS,
    settingsSchema: SETTINGS,
    credentialsSchema: NO_CREDENTIALS,
    settingsProblems: (settings) => {
      const problems = creditorProblems(settings);
      return Object.keys(problems).length === 0 ? null : problems;
    },
    connect: (account) => sandboxGateway(parts, account),
  };
}

function sandboxGateway(parts: AdapterParts, account: GatewayAccount): Gateway {
  return {
    collect: (collection, signal) => collect(parts, account, collection, signal),
    verify: (reference, verificationId) => verify(parts, account, reference, verificationId),
    refund: (refund, signal) => refundCollected(parts, account, refund, signal),
    async resolve(reference) {
      const book = await fence(parts.db, account, reference, parts.time.now(account.tenant));
      return outcomeOf(parts, book);
    },
    async news(limit, skip) {
      const books = await unreported(parts.db, account, limit, skip);
      return books.map((book) => newsOf(parts, book));
    },
    async acknowledge(news) {
      // It never reports a fee.
      if (news.kind === "fee") return;
      await markReported(parts.db, account, news.reference, STATE_OF_NEWS[news.kind], news.at);
    },
  };
}

async function collect(
  parts: AdapterParts,
  account: Account,
  collection: Collection,
  signal: AbortSignal,
): Promise<Outcome> {
  const scenario = await scenarioFor(parts, account, collection);
  if (scenario.kind === "unreachable")
    return { kind: "unreachable", gatewayMessage: "The sandbox cannot be reached." };
  if (scenario.kind === "slow") await sleep(SLOW_MS, undefined, { signal });
  const book = await openBook(parts.db, account, newBook(parts, account, collection, scenario));
  const silent = scenario.kind === "answer_lost" || scenario.kind === "not_charged";
  if (silent && book.scenario === scenario.kind) {
    return NO_ANSWER;
  }
  return outcomeOf(parts, book);
}

/** A mandate that was verified once is not verified again for renewals. */
async function scenarioFor(parts: AdapterParts, account: Account, collection: Collection): Promise<Scenario> {
  const scenario = scenarioOf(collection.iban);
  const isRenewal = collection.sequenceType === "RCUR";
  switch (scenario.kind) {
    case "verify":
    case "verify_fails":
      return isRenewal ? { kind: "approve" } : scenario;
    case "rebill_fails_first":
      return isRenewal && !(await wasRefused(parts.db, account, collection.mandate.reference))
        ? NO_FUNDS
        : scenario;
    default:
      return scenario;
  }
}

/** Reads the customer's decision, if there is one; charges once. */
async function verify(
  parts: AdapterParts,
  account: Account,
  reference: string,
  verificationId: string,
): Promise<Outcome> {
  const now = parts.time.now(account.tenant);
  const answer = { verificationId, refuses: false, now };
  const book =
    (await answerBook(parts.db, account, reference, answer)) ??
    (await findBook(parts.db, account, reference));
  if (book === null || book.verification_id !== verificationId) throw new Error("No such verification");
  return outcomeOf(parts, book);
}

/** Refunds. An account that is slow, loses answers or settles later does so for refunds as well. */
async function refundCollected(
  parts: AdapterParts,
  account: Account,
  refund: Refund,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const collected = await findBook(parts.db, account, refund.original.reference);
  if (collected?.scenario === "slow") await sleep(SLOW_MS, undefined, { signal });
  const book = await bookRefund(parts.db, account, {
    reference: refund.reference,
    refundOf: refund.original.reference,
    bankReference: `SBX-${parts.ids.reference(12)}`,
    amount: formatAmount(refund.amount),
    currency: refund.currency,
    now: parts.time.now(account.tenant),
  });
  if (book.state === "refunded" && book.scenario === "answer_lost") return NO_ANSWER;
  const outcome = outcomeOf(parts, book);
  if (outcome.kind === "verification_required") throw new Error("This reference belongs to a collection");
  return outcome;
}

const NO_ANSWER = { kind: "unresolved", gatewayMessage: "The sandbox gave no answer." } as const;

function newBook(parts: AdapterParts, account: Account, collection: Collection, scenario: Scenario): NewBook {
  const now = parts.time.now(account.tenant);
  const state = STATE_OF_SCENARIO[scenario.kind];
  const declined = scenario.kind === "decline" ? scenario : null;
  return {
    reference: collection.reference,
    bankReference: `SBX-${parts.ids.reference(12)}`,
    verificationId: state === "awaiting_customer" ? parts.ids.uuid() : null,
    scenario: scenario.kind,
    state,
    amount: formatAmount(collection.amount),
    currency: collection.currency,
    mandateReference: collection.mandate.reference,
    creditorName: collection.creditor.name,
    ibanLast4: collection.iban.slice(-4),
    returnUrl: parts.keys.seal(account.tenant, returnUrlContext(collection.reference), collection.returnUrl),
    answerCode: declined?.code ?? null,
    answerMessage: declined?.message ?? null,
    chargedAt: state === "charged" || state === "pending" ? now : null,
    now,
  };
}

/** The context with which a return URL is sealed. */
export function returnUrlContext(reference: string): string {
  return `sandbox_books.return_url:${reference}`;
}

const STATE_OF_SCENARIO: Readonly<Record<Scenario["kind"], BookState>> = {
  approve: "charged",
  slow: "charged",
  charge_back: "charged",
  answer_lost: "charged",
  rebill_fails_first: "charged",
  settle_later: "pending",
  return_later: "pending",
  verify: "awaiting_customer",
  verify_fails: "awaiting_customer",
  decline: "refused",
  not_charged: "fenced",
  unreachable: "fenced",
};

const STATE_OF_NEWS: Readonly<Record<StatusNews["kind"], BookState>> = {
  reinstated: "settled",
  settled: "settled",
  returned: "returned",
  charged_back: "charged_back",
};

/** The port's outcome for a state in the books. */
function outcomeOf(parts: AdapterParts, book: Book): Outcome {
  const gatewayReference = book.bank_reference === "" ? null : book.bank_reference;
  const processedAt = book.charged_at ?? book.created_at;
  switch (book.state) {
    case "charged":
    case "settled":
    case "charged_back":
    case "refunded":
      return { kind: "approved", gatewayReference, processedAt };
    case "pending":
    case "returned":
      return { kind: "pending", gatewayReference, processedAt };
    case "awaiting_customer":
      return {
        kind: "verification_required",
        gatewayReference,
        verificationId: book.verification_id ?? "",
        url: `${parts.publicUrl}/sandbox/verifications/${book.verification_id}`,
      };
    case "refused": {
      const gatewayCode = book.answer_code;
      const { code } = reasonOf(gatewayCode ?? "");
      return {
        kind: "declined",
        code,
        gatewayCode,
        gatewayMessage: book.answer_message,
        gatewayReference,
        processedAt,
      };
    }
    case "fenced":
      return {
        kind: "declined",
        code: book.verification_id === null ? "gateway_unavailable" : "mandate_rejected",
        gatewayCode: null,
        gatewayMessage: null,
        gatewayReference,
        processedAt,
      };
  }
}

/** The news of a settlement tick: settlement of what is pending, and the returns and chargebacks of the scenarios. */
function newsOf(parts: AdapterParts, book: Book): News {
  const at = parts.time.now(book.tenant);
  const { reference } = book;
  if (book.scenario === "charge_back") {
    const reasonMessage = "The debtor asked for a refund.";
    return { kind: "charged_back", reference, at, reasonCode: "MD06", reasonMessage };
  }
  if (book.scenario === "return_later") {
    return { kind: "returned", reference, at, reasonCode: "AM04", reasonMessage: "Insufficient funds." };
  }
  return { kind: "settled", reference, at };
}
