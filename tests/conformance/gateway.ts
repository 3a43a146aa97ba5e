/** The guarantees of every gateway adapter: each adapter's test file calls this once. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Collection, Gateway, Outcome } from "../../src/gateways/gateway.ts";
import { cents } from "../../src/lib/money.ts";
import { refundConformance } from "./refunds.ts";

/** The bank's own view of a reference. */
export interface Books {
  readonly charges: number;
  /** Of a collection: the cents that were given back of it. */
  readonly refunded: number;
}

/** The amount of each collection of the suite, in cents; divisible by ten. */
export const COLLECTED = 1990;

export interface Conformant {
  readonly gateway: Gateway;
  /** The outcome of a collection that will be paid: pending at a bank that settles later. */
  readonly accepts: "approved" | "pending";
  /** IBANs that make the bank behave so; what it cannot do is left out. */
  readonly ibans: {
    readonly approved: string;
    readonly declined: string;
    readonly answerLost?: string;
    readonly pending?: string;
    readonly verification?: string;
    readonly verificationFails?: string;
  };
  books(reference: string): Promise<Books>;
  /** Brings a collection to where it can be refunded, if that takes more than collecting it. */
  settle?(reference: string): Promise<void>;
  close(): Promise<void>;
}

const CODES = [
  "insufficient_funds",
  "invalid_iban",
  "mandate_rejected",
  "account_closed",
  "do_not_honor",
  "gateway_unavailable",
  "unknown",
];

export function collection(iban: string, reference: string): Collection {
  return {
    reference,
    iban,
    amount: cents(COLLECTED),
    currency: "EUR",
    sequenceType: "FRST",
    recurring: false,
    address: null,
    bic: null,
    holderName: "Ada Example",
    email: "ada@example.com",
    country: "DE",
    customerIp: "203.0.113.7",
    mandate: {
      reference: `MND-${reference}`,
      signedAt: new Date("2026-01-01T00:00:00Z"),
      scheme: "CORE",
      preNotificationDays: null,
    },
    creditor: { name: "Shop", identifier: null },
    returnUrl: "https://pay.example.com/back?x=1",
    descriptor: null,
  };
}

/** The capabilities of a gateway, which select the parts of the suite. */
export interface Abilities {
  readonly refunds: boolean;
  /** It may not answer, and be asked later. */
  readonly answersGetLost: boolean;
  /** Some of its accounts settle later, and it reports this as news. */
  readonly settlesLater: boolean;
  readonly verification: boolean;
}

/** Declares the suite for one adapter. */
export function gatewayConformance(
  name: string,
  { refunds, answersGetLost, settlesLater, verification }: Abilities,
  make: () => Promise<Conformant>,
): void {
  let at: Conformant;
  before(async () => {
    at = await make();
  });
  after(() => at.close());

  const signal = () => AbortSignal.timeout(10_000);
  const reference = () => `TXN-20260101-${randomUUID().slice(0, 8).toUpperCase()}`;
  const collect = (iban: string, ref: string) => at.gateway.collect(collection(iban, ref), signal());
  const resolve = (ref: string) => at.gateway.resolve(ref, signal());
  const times = <T>(count: number, work: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, work));

  test(`${name}: an approved collection charges once and says when`, async () => {
    const ref = reference();
    const outcome = await collect(at.ibans.approved, ref);
    assert.equal(outcome.kind, at.accepts);
    assert.ok("processedAt" in outcome && outcome.processedAt instanceof Date);
    assert.deepEqual(await at.books(ref), { charges: 1, refunded: 0 });
  });

  test(`${name}: the same reference again answers the same and charges nothing twice`, async () => {
    const ref = reference();
    const first = await collect(at.ibans.approved, ref);
    assert.deepEqual(await collect(at.ibans.approved, ref), first);
    assert.deepEqual(await at.books(ref), { charges: 1, refunded: 0 });
  });

  test(`${name}: 50 concurrent collections of one reference charge once`, async () => {
    const ref = reference();
    const outcomes = await times(50, () => collect(at.ibans.approved, ref));
    assert.ok(outcomes.every(({ kind }) => kind === at.accepts));
    assert.deepEqual(await at.books(ref), { charges: 1, refunded: 0 });
  });

  test(`${name}: a decline carries one of the contract's codes and charges nothing, now and when asked again`, async () => {
    const ref = reference();
    const outcome = await collect(at.ibans.declined, ref);
    assert.ok(outcome.kind === "declined" && CODES.includes(outcome.code));
    assert.deepEqual(await resolve(ref), outcome);
    assert.deepEqual(await at.books(ref), { charges: 0, refunded: 0 });
  });

  test(`${name}: resolve returns what was accepted`, async () => {
    const ref = reference();
    await collect(at.ibans.approved, ref);
    assert.equal((await resolve(ref)).kind, at.accepts);
  });

  test(`${name}: once resolved as never received, a late collection charges nothing`, async () => {
    const ref = reference();
    assert.equal((await resolve(ref)).kind, "declined");
    assert.equal((await collect(at.ibans.approved, ref)).kind, "declined");
    assert.equal((await resolve(ref)).kind, "declined");
    assert.deepEqual(await at.books(ref), { charges: 0, refunded: 0 });
  });

  test(`${name}: collect against resolve, 100 times: both say the same, and the books agree`, async () => {
    await times(100, async () => {
      const ref = reference();
      const [collected, resolved] = await Promise.all([collect(at.ibans.approved, ref), resolve(ref)]);
      const charged = (outcome: Outcome) => outcome.kind === at.accepts;
      assert.equal(charged(resolved), charged(collected));
      assert.deepEqual(await at.books(ref), { charges: charged(resolved) ? 1 : 0, refunded: 0 });
    });
  });

  if (answersGetLost)
    test(`${name}: a lost answer is unresolved, and resolve returns the real outcome`, async () => {
      assert.ok(at.ibans.answerLost !== undefined);
      const ref = reference();
      assert.equal((await collect(at.ibans.answerLost, ref)).kind, "unresolved");
      assert.equal((await resolve(ref)).kind, "approved");
      assert.deepEqual(await at.books(ref), { charges: 1, refunded: 0 });
    });

  if (settlesLater)
    test(`${name}: pending money is reported at settlement until it is acknowledged; any item of news can be skipped`, async () => {
      assert.ok(at.ibans.pending !== undefined);
      const ref = reference();
      assert.equal((await collect(at.ibans.pending, ref)).kind, "pending");
      const about = async () =>
        (await at.gateway.news(1_000, 0, signal())).filter((news) => news.reference === ref);
      const [news] = await about();
      assert.equal(news?.kind, "settled");
      assert.equal((await about()).length, 1);
      const all = await at.gateway.news(1_000, 0, signal());
      for (const skip of [0, 1, all.length - 1, all.length]) {
        assert.deepEqual(
          (await at.gateway.news(1, skip, signal())).map(({ reference: told }) => told),
          all.slice(skip, skip + 1).map(({ reference: told }) => told),
        );
      }
      if (news !== undefined) await at.gateway.acknowledge(news, signal());
      assert.deepEqual(await about(), []);
      assert.equal((await resolve(ref)).kind, "approved");
    });

  if (verification)
    test(`${name}: a verification is charged once, when it succeeds`, async () => {
      assert.ok(at.ibans.verification !== undefined);
      const ref = reference();
      const asked = await collect(at.ibans.verification, ref);
      assert.ok(asked.kind === "verification_required" && asked.url.startsWith("http"));
      assert.deepEqual(await at.books(ref), { charges: 0, refunded: 0 });
      const outcomes = await times(20, () => at.gateway.verify(ref, asked.verificationId, signal()));
      assert.ok(outcomes.every(({ kind }) => kind === "approved"));
      assert.deepEqual(await at.books(ref), { charges: 1, refunded: 0 });
    });

  if (verification)
    test(`${name}: another verification's id charges nothing, and leaves this one to be answered`, async () => {
      assert.ok(at.ibans.verification !== undefined);
      const [ref, otherRef] = [reference(), reference()];
      const asked = await collect(at.ibans.verification, ref);
      const other = await collect(at.ibans.verification, otherRef);
      assert.ok(asked.kind === "verification_required" && other.kind === "verification_required");
      await assert.rejects(at.gateway.verify(ref, other.verificationId, signal()));
      for (const each of [ref, otherRef]) assert.deepEqual(await at.books(each), { charges: 0, refunded: 0 });
      assert.equal((await at.gateway.verify(ref, asked.verificationId, signal())).kind, "approved");
    });

  if (verification)
    test(`${name}: a verification that was resolved first charges nothing any more`, async () => {
      assert.ok(at.ibans.verification !== undefined);
      const ref = reference();
      const asked = await collect(at.ibans.verification, ref);
      assert.ok(asked.kind === "verification_required");
      assert.equal((await resolve(ref)).kind, "declined");
      assert.equal((await at.gateway.verify(ref, asked.verificationId, signal())).kind, "declined");
      assert.deepEqual(await at.books(ref), { charges: 0, refunded: 0 });
    });

  if (settlesLater && refunds)
    test(`${name}: pending money can be refunded once it has settled`, async () => {
      assert.ok(at.ibans.pending !== undefined);
      const [original, ref] = [reference(), reference()];
      await collect(at.ibans.pending, original);
      for (const news of await at.gateway.news(1_000, 0, signal()))
        await at.gateway.acknowledge(news, signal());
      const instruction = { reference: original, gatewayReference: null };
      const refund = {
        reference: ref,
        original: instruction,
        amount: cents(COLLECTED),
        currency: "EUR",
        reason: null,
        way: null,
      };
      assert.equal((await at.gateway.refund(refund, signal())).kind, "pending");
      const about = (await at.gateway.news(1_000, 0, signal())).filter((news) => news.reference === ref);
      assert.deepEqual(
        about.map(({ kind }) => kind),
        ["settled"],
      );
    });

  if (verification)
    test(`${name}: a verification that fails is a rejected mandate`, async () => {
      assert.ok(at.ibans.verificationFails !== undefined);
      const ref = reference();
      const asked = await collect(at.ibans.verificationFails, ref);
      assert.ok(asked.kind === "verification_required");
      const outcome = await at.gateway.verify(ref, asked.verificationId, signal());
      assert.ok(outcome.kind === "declined" && outcome.code === "mandate_rejected");
      assert.deepEqual(await at.books(ref), { charges: 0, refunded: 0 });
    });

  if (refunds) refundConformance(name, { at: () => at, answersGetLost, reference, collect, resolve, times });
}
