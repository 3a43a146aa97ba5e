/** The guarantees of every adapter that can refund, part of the suite in gateway.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome, Refund, RefundOutcome } from "../../src/gateways/gateway.ts";
import { cents } from "../../src/lib/money.ts";
import { COLLECTED, type Conformant } from "./gateway.ts";

/** The calls of the suite on whichever gateway is under test. */
export interface Calls {
  readonly at: () => Conformant;
  readonly answersGetLost: boolean;
  readonly reference: () => string;
  readonly collect: (iban: string, reference: string) => Promise<Outcome>;
  readonly resolve: (reference: string) => Promise<Outcome>;
  readonly times: <T>(count: number, work: () => Promise<T>) => Promise<readonly T[]>;
}

export function refundConformance(
  name: string,
  { at, answersGetLost, reference, collect, resolve, times }: Calls,
): void {
  const refund = (original: string, ref: string, amount: number = COLLECTED): Promise<RefundOutcome> =>
    at().gateway.refund(refundOf(original, ref, amount), AbortSignal.timeout(10_000));
  const collected = async (iban = at().ibans.approved): Promise<string> => {
    const ref = reference();
    await collect(iban, ref);
    await at().settle?.(ref);
    return ref;
  };
  const moved = (outcome: Outcome) => outcome.kind === "approved" || outcome.kind === "pending";
  const givenBack = async (original: string) => (await at().books(original)).refunded;

  test(`${name}: a refund refunds once, and returns the same when it is repeated or resolved`, async () => {
    const [original, ref] = [await collected(), reference()];
    const first = await refund(original, ref);
    assert.ok(moved(first), first.kind);
    assert.deepEqual(await refund(original, ref), first);
    assert.deepEqual(await resolve(ref), first);
    assert.equal(await givenBack(original), COLLECTED);
  });

  test(`${name}: 20 refunds at once under one reference give back once`, async () => {
    const [original, ref] = [await collected(), reference()];
    const outcomes = await times(20, () => refund(original, ref, 500));
    assert.ok(outcomes.every(moved));
    assert.equal(await givenBack(original), 500);
  });

  test(`${name}: a refund above the collected amount is declined and gives back nothing`, async () => {
    const original = await collected();
    const outcome = await refund(original, reference(), COLLECTED + 1);
    assert.equal(outcome.kind, "declined");
    assert.equal(await givenBack(original), 0);
  });

  test(`${name}: 30 partial refunds at once never give back more than was collected`, async () => {
    const original = await collected();
    const outcomes = await times(30, () => refund(original, reference(), COLLECTED / 10));
    assert.equal(outcomes.filter(moved).length, 10);
    assert.equal(outcomes.filter(({ kind }) => kind === "declined").length, 20);
    assert.equal(await givenBack(original), COLLECTED);
  });

  test(`${name}: a payment that was never collected cannot be refunded`, async () => {
    assert.equal((await refund(reference(), reference())).kind, "declined");
    assert.equal((await refund(await collected(at().ibans.declined), reference())).kind, "declined");
  });

  test(`${name}: once resolved as never received, a late refund gives back nothing`, async () => {
    const [original, ref] = [await collected(), reference()];
    assert.equal((await resolve(ref)).kind, "declined");
    assert.equal((await refund(original, ref)).kind, "declined");
    assert.equal((await resolve(ref)).kind, "declined");
    assert.equal(await givenBack(original), 0);
  });

  test(`${name}: refund against resolve, 50 times: both say the same, and the books agree`, async () => {
    await times(50, async () => {
      const [original, ref] = [await collected(), reference()];
      const [refunded, resolved] = await Promise.all([refund(original, ref), resolve(ref)]);
      assert.equal(moved(resolved), moved(refunded));
      assert.equal(await givenBack(original), moved(resolved) ? COLLECTED : 0);
    });
  });

  if (answersGetLost)
    test(`${name}: a refund with a lost answer is unresolved, and resolve returns the real outcome`, async () => {
      const { answerLost } = at().ibans;
      assert.ok(answerLost !== undefined);
      const [original, ref] = [await collected(answerLost), reference()];
      assert.equal((await refund(original, ref)).kind, "unresolved");
      assert.equal((await resolve(ref)).kind, "approved");
      assert.equal(await givenBack(original), COLLECTED);
    });
}

export function refundOf(original: string, reference: string, amount: number): Refund {
  return {
    reference,
    original: { reference: original, gatewayReference: null },
    amount: cents(amount),
    currency: "EUR",
    reason: null,
    way: null,
  };
}
