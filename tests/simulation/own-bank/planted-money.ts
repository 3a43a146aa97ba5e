/** Planted bugs of the merchant's own bank that lose money or send it wrongly; `planted.ts` has others. */
import { bug } from "../../planted/at-the-bank.ts";
import { guarded } from "../../planted/guarded.ts";
import type { PlantedBug } from "../planted.ts";

const AMENDED = "tests/sepa/amended-mandates.test.ts";
const BANK_ACCOUNT = "tests/billing/bank-account.test.ts";

export const PLANTED_AROUND_MONEY: readonly PlantedBug[] = [
  guarded(
    bug(220, "a payment that the merchant has stopped is sent to the bank nevertheless", {
      file: "gateways/sepa-batch/cancel/store.ts",
      from: "set state = 'rejected', returned_on = :on::date,",
      to: "set returned_on = case when false then :on::date end,",
    }),
    [
      "tests/sepa/cancel.test.ts",
      "a stopped payment is declined and in no file, with one event and one line of the audit log",
    ],
  ),
  guarded(
    bug(42_011, "of two first debits of a mandate in one run both are FRST", {
      file: "gateways/sepa-batch/outgoing/write-files.ts",
      from: 'const first = begun.has(mandate) ? "RCUR" : settings.firstSequenceType;',
      to: "const first = settings.firstSequenceType;",
    }),
    [AMENDED, "of two first debits of a mandate in one run, the first is FRST and the other RCUR"],
  ),
  guarded(
    bug(254, "a change that is taken back while its file is unanswered is not reported", {
      file: "gateways/sepa-batch/outgoing/instructions.ts",
      from: "const others = [known, ...inFiles].map(",
      to: "const others = [known].map(",
    }),
    [AMENDED, "a change that is taken back while the file with it is unanswered is reported"],
  ),
  guarded(
    bug(1025, "FRST is sent again after the mandate's reference was amended", {
      file: "gateways/sepa-batch/outgoing/store.ts",
      from: "u.mandate_id = m.id and u.state in ('batched', 'settled', 'returned')) as mandate_unused",
      to: "u.mandate_reference = m.reference and u.state in ('batched', 'settled', 'returned')) as mandate_unused",
    }),
    [AMENDED, "a mandate whose reference was amended continues its series"],
  ),
  guarded(
    bug(80, "refunds of a bank that stays silent never end", {
      file: "gateways/sepa-batch/incoming/assume-store.ts",
      from: "and c.due_date <= :dueBy::date\n      and f.status = 'sent'",
      to: "and c.due_date <= :dueBy::date\n      and f.status = 'sent' and c.refund_of is null",
    }),
    [
      "tests/sepa/batch.test.ts",
      "refunds without the bank's answer settle after some days if the merchant chose that, like collections",
    ],
  ),
  guarded(
    bug(8, "a weekend counts as a day of the wait for a bank that stays silent", {
      file: "gateways/sepa-batch/incoming/assume.ts",
      from: "- (isTargetDay(today) ? 0 : 1)",
      to: "- (isTargetDay(today) ? 0 : 0)",
    }),
    ["tests/sepa/batch.test.ts", "only banking days count in the wait for a bank's answer"],
  ),
  guarded(
    bug(53, "a block that is booked in two sums cannot be settled by a person", {
      file: "gateways/sepa-batch/unmatched/resolutions.ts",
      from: "entered.parts.reduce((sum: number, part) => sum + part, 0);",
      to: "entered.parts.reduce((sum: number) => sum, 0);",
    }),
    [
      "tests/sepa/resolutions.test.ts",
      "a block that is booked in two sums settles once both are applied; until then the first is listed",
    ],
  ),
  guarded(
    bug(
      1,
      "a payment that was charged back by hand before it settled is sent to the bank nevertheless",
      {
        file: "gateways/sepa-batch/outgoing/stopped-store.ts",
        from: "when t.status in ('approved', 'declined', 'refunded', 'charged_back') then 'over'",
        to: "when t.status = 'refunded' then 'over'",
      },
      {
        file: "payments/chargebacks/charge-back.ts",
        from: 'return known === "pending" && source !== "csv_import"',
        to: 'return known === "pending" && source === "csv_import"',
      },
    ),
    ["tests/sepa/refunds.test.ts", "a waiting debit whose payment has ended is not written into a file"],
    ["tests/sepa/news.test.ts", "a debit that has not settled is not charged back by hand"],
  ),
  guarded(
    bug(11, "the reinstatement of a renewal that was retried meanwhile is not counted", {
      file: "subscriptions/writes.ts",
      from: "cross join lateral (select ${",
      to: "cross join lateral (select 0 * ${",
    }),
    [BANK_ACCOUNT, "a retried renewal whose first debit is paid"],
  ),
  guarded(
    bug(1020, "a renewal that was retried since counts as paid after its chargeback", {
      file: "subscriptions/writes.ts",
      from: '- ${isEarlierAttempt({ payment: "t" })}::integer,',
      to: "- 0,",
    }),
    [BANK_ACCOUNT, "a retried renewal whose first debit is paid"],
  ),
];
