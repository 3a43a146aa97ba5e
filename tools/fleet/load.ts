/** Steady load: customers who pay and merchants who read; every response must be the expected one. */
import { setTimeout as sleep } from "node:timers/promises";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../../tests/support/merchant.ts";
import { caller, type CallOptions, type Response, type Service } from "../../tests/support/service.ts";
import { ANSWERED_BY } from "./balancer.ts";

interface Unexpected {
  readonly atMs: number;
  /** The instance that answered; null without a response of an instance. */
  readonly instance: string | null;
  readonly what: string;
}

export interface Load {
  readonly requests: () => number;
  /** Unexpected responses. */
  readonly unexpected: readonly Unexpected[];
  /** Payments that were reported as completed, by transaction. */
  readonly completed: readonly string[];
  /** Requests in flight are finished. */
  stop(): Promise<void>;
}

/** What the helpers of tests ask, at one address. */
function serviceAt(url: string): Service {
  const call = caller(url);
  return {
    call,
    get: (path: string, options?: CallOptions) => call("GET", path, undefined, options),
    post: (path: string, body?: unknown, options?: CallOptions) => call("POST", path, body, options),
  } as Service;
}

export async function openShop(url: string, webhookUrl: string): Promise<Merchant> {
  const service = serviceAt(url);
  const merchant = await createMerchant(service);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Shop",
    url: webhookUrl,
    events: ["payment_session.completed"],
  });
  return merchant;
}

const PAUSE_MS = 20;

/** This many concurrent customers, each with one journey after the other. */
export function startLoad(url: string, merchant: Merchant, customers: number): Load {
  const stop = new AbortController();
  const unexpected: Unexpected[] = [];
  const completed: string[] = [];
  const service = serviceAt(url);
  let requests = 0;

  const expect = async (what: string, status: number, asked: Promise<Response>): Promise<Response | null> => {
    requests += 1;
    const none = (error: Error): Response => ({ status: 0, text: error.message, headers: {}, body: {} });
    const answer = await asked.catch(none);
    if (answer.status === status) return answer;
    const by = answer.headers[ANSWERED_BY];
    unexpected.push({
      atMs: performance.now(),
      instance: typeof by === "string" ? by : null,
      what: `${what} answered ${answer.status}: ${answer.text.slice(0, 200)}`,
    });
    return null;
  };
  const journey = async (number: number): Promise<void> => {
    const created = await expect(
      "create",
      201,
      merchant.create({ lead: lead({ email: `fleet-${number}-${requests}@example.com` }) }),
    );
    const token: string | undefined = created?.body["session_token"];
    if (token === undefined) return;
    const paid = await expect("pay", 200, merchant.pay(token, IBAN.approved));
    const id: string | undefined = paid?.body["transaction"]?.id;
    if (id !== undefined && paid?.body["status"] === "completed") completed.push(id);
    await expect("retrieve", 200, merchant.retrieve(token));
    if (id === undefined || number % 3 > 0) return;
    const key = { key: merchant.key };
    await expect(
      "refund",
      201,
      service.post(`management/transactions/${id}/refunds/`, { amount: "5.00" }, key),
    );
  };
  const running = Promise.all(
    Array.from({ length: customers }, async (_, number) => {
      while (!stop.signal.aborted) {
        await journey(number);
        await sleep(PAUSE_MS);
      }
    }),
  );
  return {
    requests: () => requests,
    unexpected,
    completed,
    async stop() {
      stop.abort();
      await running;
    },
  };
}
