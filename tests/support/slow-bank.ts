/** A gateway whose calls wait for the test's response. The test may answer them in any order. */
import { Type } from "../../src/lib/schema.ts";
import type { Adapter, Outcome } from "../../src/gateways/gateway.ts";

export interface Question {
  readonly method: "collect" | "verify" | "resolve" | "refund";
  readonly reference: string;
  /** Answers the call. An Error stands for a broken connection. */
  answer(outcome: Outcome | Error): void;
}

export interface SlowBank {
  readonly adapter: Adapter;
  /** Returns the next unanswered call once it has arrived. */
  asked(): Promise<Question>;
}

const AT = new Date("2026-11-21T12:00:00Z");

/** One outcome of each kind. */
export const OUTCOME = {
  approved: { kind: "approved", gatewayReference: "bank-1", processedAt: AT },
  pending: { kind: "pending", gatewayReference: "bank-1", processedAt: AT },
  declined: {
    kind: "declined",
    code: "mandate_rejected",
    gatewayCode: "MD01",
    gatewayMessage: "No mandate.",
    gatewayReference: null,
    processedAt: AT,
  },
  verification_required: {
    kind: "verification_required",
    gatewayReference: null,
    verificationId: "v-1",
    url: "https://bank.example.test/v-1",
  },
  unreachable: { kind: "unreachable", gatewayMessage: null },
  unresolved: { kind: "unresolved", gatewayMessage: null },
} as const satisfies Record<Outcome["kind"], Outcome>;

export function slowBank(): SlowBank {
  const waiting: Question[] = [];
  const takers: ((question: Question) => void)[] = [];
  const ask = <T extends Outcome>(method: Question["method"], reference: string): Promise<T> =>
    new Promise((resolve, reject) => {
      const question: Question = {
        method,
        reference,
        answer: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome as T)),
      };
      const taker = takers.shift();
      if (taker === undefined) waiting.push(question);
      else taker(question);
    });
  return {
    asked() {
      const question = waiting.shift();
      return question === undefined
        ? new Promise((resolve) => {
            takers.push(resolve);
          })
        : Promise.resolve(question);
    },
    adapter: {
      name: "slow-bank",
      displayName: "Slow bank",
      capabilities: {
        currencies: ["EUR"],
        verification: true,
        asynchronous: true,
        refunds: true,
        reversals: false,
        testModeOnly: true,
      },
      settingsSchema: Type.Object({}),
      credentialsSchema: Type.Object({}),
      connect: () => ({
        collect: ({ reference }) => ask("collect", reference),
        verify: (reference) => ask("verify", reference),
        resolve: (reference) => ask("resolve", reference),
        refund: ({ reference }) => ask("refund", reference),
        news: async () => [],
        acknowledge: async () => {},
      }),
    },
  };
}
