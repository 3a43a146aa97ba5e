/** Instructions at the bank, and entries of the bank's files about them. */
import { cents } from "../../src/lib/money.ts";
import type { InstructionItem, KnownInstruction } from "../../src/gateways/sepa-batch/incoming/decide.ts";

/** A debit of 50 EUR, due on the 24th, in the second block of the file PSB-7, which the bank has not reported on. */
export function debit(facts: Partial<KnownInstruction> = {}): KnownInstruction {
  return {
    reference: "R1",
    refund_of: null,
    reversible_until: null,
    state: "batched",
    amount: "50.00",
    currency: "EUR",
    settled_on: null,
    assumed: false,
    due_date: "2026-11-24",
    file_id: "00000000-0000-4000-8000-000000000001",
    block_id: "PSB-7-2",
    returned_on: null,
    reinstated_on: null,
    withdrawn: false,
    booked: {},
    ...facts,
  };
}

export const transfer = (facts: Partial<KnownInstruction> = {}): KnownInstruction =>
  debit({ refund_of: "R0", ...facts });
export const reversal = (facts: Partial<KnownInstruction> = {}): KnownInstruction =>
  transfer({ reversible_until: "2026-12-01", ...facts });

export const seen = (on: string, bankReference: string | null = null) => ({ on, bankReference });

interface Facts {
  /** The 25th by default. */
  readonly on?: string | null;
  readonly amount?: number | null;
  readonly currency?: string | null;
  readonly bank?: string | null;
  readonly code?: string | null;
  readonly message?: string | null;
  readonly fee?: number | null;
  readonly sure?: boolean;
  readonly reversal?: true;
  readonly others?: readonly string[];
}

export function item<Kind extends InstructionItem["kind"]>(
  kind: Kind,
  facts: Facts = {},
): Extract<InstructionItem, { kind: Kind }> {
  const { on = "2026-11-25", amount = 5_000, currency = "EUR", bank = null, code = null } = facts;
  const { message = null, fee = null, sure = true, others = [] } = facts;
  return {
    kind,
    bookedOn: on,
    ids: { references: ["R1"], endToEndId: "R1", mandateReference: null, others },
    amount: amount === null ? null : cents(amount),
    currency,
    bankReference: bank,
    block: null,
    sure,
    why: { code, message },
    fee: fee === null ? null : cents(fee),
    ...(facts.reversal === undefined ? {} : { reversal: facts.reversal }),
  } as unknown as Extract<InstructionItem, { kind: Kind }>;
}
