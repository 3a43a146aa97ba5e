/** Planted bugs of the merchant's own bank, each put into a copy of the service for this simulation to find. */
import { bug as changing, type Change } from "../../planted/at-the-bank.ts";
import { guarded } from "../../planted/guarded.ts";
import type { PlantedBug } from "../planted.ts";
import { PLANTED_FOR_EXTRAS } from "./planted-extras.ts";
import { PLANTED_AROUND_FILES } from "./planted-files.ts";
import { PLANTED_AROUND_MONEY } from "./planted-money.ts";

/** A planted bug that needs one change. @param more further changes, if needed. */
const bug = (
  seed: number,
  name: string,
  file: string,
  from: string,
  to: string,
  ...more: readonly Change[]
): PlantedBug => changing(seed, name, { file, from, to }, ...more);

export const PLANTED_AT_THE_BANK: readonly PlantedBug[] = [
  guarded(
    bug(
      42_011,
      "a refund is written although the debit was returned while it waited",
      "gateways/sepa-batch/outgoing/stopped-store.ts",
      "when c.refund_of is not null and (o.state is distinct from 'settled' or p.status = 'charged_back') then 'back'",
      "when c.refund_of is not null and o.reference is null then 'back'",
    ),
    ["tests/sepa/refunds.test.ts", "a waiting refund is declined when its debit is returned"],
  ),
  guarded(
    bug(
      42_011,
      "a refund goes to the account that was given at the payment",
      "gateways/sepa-batch/outgoing/store.ts",
      "debtor = coalesce(b.debtor, c.debtor),",
      "debtor = c.debtor,",
    ),
    ["tests/sepa/refunds.test.ts", "a refund goes to the account that was debited"],
  ),
  guarded(
    bug(
      42_011,
      "each collection of a mandate is sent as FRST",
      "gateways/sepa-batch/outgoing/store.ts",
      "where u.tenant = :tenant and u.mandate_id = m.id and u.state in ('batched', 'settled', 'returned')) as mandate_unused",
      "where u.tenant = :tenant and u.mandate_id = m.id and u.state in ('fenced')) as mandate_unused",
    ),
    ["tests/sepa/amended-mandates.test.ts", "a mandate whose reference was amended continues its series"],
  ),
  bug(
    42_011,
    "collections are sent as FRST until one has settled",
    "gateways/sepa-batch/outgoing/store.ts",
    "where u.tenant = :tenant and u.mandate_id = m.id and u.state in ('batched', 'settled', 'returned')) as mandate_unused",
    "where u.tenant = :tenant and u.mandate_id = m.id and u.state in ('settled', 'returned')) as mandate_unused",
  ),
  guarded(
    bug(
      1004,
      "a mandate's change counts as announced although the bank rejected the file",
      "mandates/amendments.ts",
      "announced.state in ('settled', 'returned')",
      "announced.state in ('batched', 'rejected', 'settled', 'returned')",
    ),
    ["tests/sepa/amended-mandates.test.ts", "an amendment that was announced in a rejected"],
  ),
  guarded(
    bug(
      1017,
      "an account whose identifier changed debits old mandates under the new one unannounced",
      "gateways/sepa-batch/outgoing/write-files.ts",
      "row, changes, first)",
      'row, changes.filter(({ kind }) => kind !== "creditor"), first)',
    ),
    ["tests/creditors/agreement.test.ts", "the account is renamed"],
  ),
  guarded(
    bug(
      57,
      "an entry that has a reference of ours and is not understood is ignored",
      "gateways/sepa-batch/incoming/apply-items.ts",
      "if (!namesIn(item.ids).some((name) => ours.has(name))) return",
      "if (ours.size >= 0) return",
    ),
    [
      "tests/sepa/ours.test.ts",
      "a statement's entry with a reference of ours is never ignored, whatever else it contains",
    ],
  ),
  guarded(
    bug(
      53,
      "a block without a status does not have that of its file",
      "gateways/sepa-batch/incoming/interpret.ts",
      "const status = block.status ?? (listed ? null : (reading.group?.status ?? null));",
      "const status = block.status;",
    ),
    ["tests/sepa/returns.test.ts", "a rejected file whose blocks are listed without a status"],
  ),
  guarded(
    bug(
      53,
      "a transaction without a status does not have that of its block",
      "gateways/sepa-batch/incoming/interpret.ts",
      "const status = record.status ?? reading.block?.status ?? reading.group?.status ?? null;",
      "const status = record.status;",
    ),
    ["tests/sepa/returns.test.ts", "transactions listed without a status below a rejected"],
  ),
  guarded(
    bug(
      53,
      "a report with another message id is taken for one about something else",
      "sepa/messages/reading/status-codes.ts",
      'if (name === undefined) return "not_said";',
      'if (name === undefined) return "other";',
    ),
    [
      "tests/sepa/returns.test.ts",
      "an instruction is recognised by its id, whatever message id a report names",
    ],
  ),
  guarded(
    bug(
      43,
      "a credit after a return counts as already known",
      "gateways/sepa-batch/incoming/decide.ts",
      'if (!after && isSame(instruction, "credit", item, on)) return known(booking);',
      'if (after || item.kind === "credit") return known(booking);',
    ),
    ["tests/sepa/returns.test.ts", "a credit after a return, booked"],
  ),
  guarded(
    bug(
      40_004,
      "a fee under our id is a return",
      "sepa/messages/reading/movement.ts",
      'if (FEES.has(subfamily ?? "")) return FEE;',
      "",
    ),
    ["tests/sepa/returns.test.ts", "a fee under our id is not a chargeback"],
  ),
  guarded(
    bug(
      34,
      "refunds that are booked as one sum match nothing",
      "gateways/sepa-batch/incoming/apply-items.ts",
      'case "credit":\n    case "transfer_out":',
      'case "credit":',
    ),
    ["tests/sepa/returns.test.ts", "refunds that the bank books as one sum are settled"],
  ),
  guarded(
    bug(
      202,
      "a sum that names the file and no block matches nothing",
      "gateways/sepa-batch/incoming/interpret.ts",
      "const messageId = blockId === null ? (batch?.messageId ?? detail?.messageId ?? null) : null;",
      "const messageId = null;",
    ),
    ["tests/sepa/returns.test.ts", "refunds that the bank books as one sum are settled"],
  ),
  guarded(
    bug(
      42_011,
      "the currency of a booking is not compared",
      "gateways/sepa-batch/incoming/decide.ts",
      "if (item.amount === centsFromDatabase(amount) && item.currency === currency) return null;",
      "if (item.amount === centsFromDatabase(amount)) return null;",
    ),
    ["tests/sepa/returns.test.ts", "an amount in another currency is another amount"],
  ),
  guarded(
    bug(
      46,
      "the amount of a return is not compared",
      "gateways/sepa-batch/incoming/decide.ts",
      "const wrong = wrongAmount(instruction, item);",
      'const wrong = item.kind === "return" ? null : wrongAmount(instruction, item);',
    ),
    ["tests/sepa/returns.test.ts", "a return of another amount than was collected does not match"],
  ),
  guarded(
    bug(
      46,
      "a second return counts as already known, whatever its day and reference",
      "gateways/sepa-batch/incoming/decide.ts",
      'if (!isSame(instruction, "debit", item, on)) {',
      'if (booked.debit === undefined && !isSame(instruction, "debit", item, on)) {',
    ),
    ["tests/sepa/returns.test.ts", "one booking in camt.052, 053 and 054 counts once"],
  ),
  guarded(
    bug(
      46,
      "a second credit counts as already known, whatever its day and reference",
      "gateways/sepa-batch/incoming/decide.ts",
      'return isSame(instruction, "credit", item, on) || isReinstatement(instruction, on)',
      'return booked.credit !== undefined || isSame(instruction, "credit", item, on) || isReinstatement(instruction, on)',
    ),
    ["tests/sepa/returns.test.ts", "one booking in camt.052, 053 and 054 counts once"],
  ),
  guarded(
    bug(
      16,
      "money for a rejected collection is ignored",
      "gateways/sepa-batch/incoming/decide.ts",
      'return unmatched("money arrived for a collection that had been rejected");',
      "return known(booking);",
    ),
    [
      "tests/sepa/returns.test.ts",
      "a credit for a rejected collection and its return each wait for a person",
    ],
  ),
  guarded(
    bug(
      1,
      "a statement settles payments of only one gateway of its account",
      "gateways/sepa-batch/files-store.ts",
      "array(select distinct id from held where iban in (select iban from own) order by id) as gateway_ids",
      "array(select distinct id from held where iban in (select iban from own) and id = :gatewayId order by id) as gateway_ids",
    ),
    ["tests/sepa/accounts.test.ts", "a statement that is uploaded for one gateway settles"],
  ),
  guarded(
    bug(
      42_011,
      "statements of a former account are refused",
      "gateways/sepa-batch/files-store.ts",
      "select gateway_id, iban from sepa_creditor_accounts where tenant = :tenant",
      "select gateway_id, iban from sepa_creditor_accounts where tenant = -:tenant",
    ),
    [
      "tests/sepa/accounts.test.ts",
      "after a change of the account, statements of the old account settle and return the payments that were sent for it",
    ],
  ),
  guarded(
    bug(
      1014,
      "a missing statement is not noticed",
      "gateways/sepa-batch/incoming/statements/keep.ts",
      "const gap = before === null ? null : gapBetween(before, whole);",
      "const gap = before === null || whole === before ? null : (gapBetween(before, whole) ?? null) && null;",
    ),
    [
      "tests/sepa/statements.test.ts",
      "a skipped statement number is reported as missing until that statement arrives",
    ],
  ),
  guarded(
    bug(
      358,
      "the amount of a rejected refund is not available again",
      "gateways/sepa-batch/books-store.ts",
      "and r.state in ('accepted', 'batched', 'settled')) as refunded",
      "and r.state in ('accepted', 'batched', 'settled', 'rejected')) as refunded",
    ),
    [
      "tests/sepa/refunds.test.ts",
      "a refund that the bank has rejected can be requested again, in any parts and any order",
    ],
  ),
  guarded(
    bug(
      50,
      "a refund is accepted a day early",
      "gateways/sepa-batch/adapter.ts",
      "const REFUND_AFTER_TARGET_DAYS = CORE_RETURN_TARGET_DAYS + 2;",
      "const REFUND_AFTER_TARGET_DAYS = CORE_RETURN_TARGET_DAYS + 1;",
    ),
    ["tests/sepa/refunds.test.ts", "the first day of a refund is the seventh TARGET day"],
  ),
  guarded(
    bug(
      1000,
      "the billing date is announced as the day of the debit",
      "subscriptions/debit-day.ts",
      "const debited = gateway.debitDay?.(handedOver, noticeDays) ?? null;",
      "const debited = gateway.debitDay === undefined || noticeDays === -1 ? null : day;",
    ),
    ["tests/billing/bank-account.test.ts", "the announced day is the file's due date"],
  ),
  guarded(
    bug(
      1004,
      "a renewal that waits for its day is debited after its subscription has ended",
      "subscriptions/withdraw.ts",
      "const withdrawn = (await gateway.withdraw?.(row.merchant_transaction_id, signal)) ?? false;",
      "const withdrawn = gateway.withdraw === undefined && signal.aborted;",
    ),
    ["tests/billing/bank-account.test.ts", "cancelled at once: debits that wait are withdrawn"],
  ),
  guarded(
    bug(
      1,
      "a cancelled mandate is debited",
      "gateways/sepa-batch/outgoing/stopped-store.ts",
      "when c.refund_of is null and m.status in ('rejected', 'cancelled', 'expired') then 'mandate'",
      "when c.refund_of is null and m.status in ('rejected', 'expired') then 'mandate'",
    ),
    ["tests/sepa/batch.test.ts", "a mandate that was cancelled after the payment"],
  ),
  guarded(
    bug(
      36,
      "an expired mandate is debited",
      "gateways/sepa-batch/outgoing/stopped-store.ts",
      "when c.refund_of is null and m.status in ('rejected', 'cancelled', 'expired') then 'mandate'",
      "when c.refund_of is null and m.status in ('rejected', 'cancelled') then 'mandate'",
    ),
    ["tests/sepa/batch.test.ts", "a mandate that expired after the payment"],
  ),
  guarded(
    bug(
      213,
      "a refusal that the merchant has to fix is retried every hour",
      "subscriptions/cycle.ts",
      'if (failure.kind === "not_received") {',
      'if (failure.kind === "not_received" || failure.code === "gateway_unavailable") {',
    ),
    ["tests/billing/bank-account.test.ts", "a renewal that the bank rejects with"],
  ),
  guarded(
    bug(
      1000,
      "a cycle waits for the one before it, and all but the newest are skipped",
      "subscriptions/due-store.ts",
      "and not (u.cancel_at_period_end and exists (",
      "and not (exists (",
      {
        file: "subscriptions/renew.ts",
        from: "return begins && !(row.cancel_at_period_end && row.has_open);",
        to: "return begins && !row.has_open;",
      },
    ),
    ["tests/billing/bank-account.test.ts", "91 days of weekly cycles at a bank that is late"],
  ),
  guarded(
    bug(
      53,
      "money for what the bank had rejected cannot be settled by a person",
      "gateways/sepa-batch/unmatched/resolutions.ts",
      'instruction.state !== "returned" && !hasEnded(instruction))',
      'instruction.state !== "returned")',
    ),
    ["tests/sepa/resolutions.test.ts", "a person can settle a rejected collection whose money has arrived"],
  ),
  guarded(
    bug(
      53,
      "a sum less the bank's fee cannot be settled by a person",
      "gateways/sepa-batch/unmatched/resolutions.ts",
      "(item.amount ?? 0) + (entered.bankFee ?? 0) + entered.parts",
      "(item.amount ?? 0) + entered.parts",
    ),
    ["tests/sepa/resolutions.test.ts", "a block that is booked less a fee is settled"],
  ),
  guarded(
    bug(
      1130,
      "a return that names a mandate is searched by the mandate's reference on the day of the payment",
      "gateways/sepa-batch/outgoing/store.ts",
      "mandate_reference = b.mandate_reference,",
      "mandate_reference = c.mandate_reference,",
      {
        file: "gateways/sepa-batch/mandate-names.ts",
        from: "select id as mandate_id from mandates where tenant = :tenant and upper(reference",
        to: "select id as mandate_id from mandates where tenant = -:tenant and upper(reference",
      },
    ),
    ["tests/sepa/ours.test.ts", "a return is found by every reference that its mandate has had"],
  ),
  guarded(
    bug(
      41,
      "a file whose day has passed is handed out as it is",
      "gateways/sepa-batch/outgoing/withdraw-unfit.ts",
      "return today > latestDay(file);",
      'return today > latestDay(file) && today === "";',
    ),
    [
      "tests/sepa/take-back.test.ts",
      "a file that was not downloaded in time is withdrawn; its payments are sent in one new file",
    ],
  ),
  guarded(
    bug(
      187,
      "an upload with an unknown outcome is sent again",
      "gateways/sepa-batch/outgoing/send.ts",
      'if (file.status === "renaming" && !there.includes(hidden)) {',
      'if (file.status === "renaming" && hidden === "") {',
      {
        file: "gateways/sepa-batch/outgoing/send.ts",
        from: 'if (file.status !== "renaming") {',
        to: 'if (file.status !== "renaming" || !there.includes(hidden)) {',
      },
    ),
    [
      "tests/sepa/transport.test.ts",
      "an upload that broke before the renaming is repeated; one that broke later needs a person, because the bank may have the file",
    ],
  ),
  guarded(
    bug(
      208,
      "files that were never sent settle when the bank stays silent",
      "gateways/sepa-batch/incoming/assume-store.ts",
      "and c.due_date <= :dueBy::date\n      and f.status = 'sent'",
      "and c.due_date <= :dueBy::date",
    ),
    [
      "tests/sepa/batch.test.ts",
      "a debit without the bank's answer settles after some days only if the merchant chose that, and is marked",
    ],
  ),
  guarded(
    bug(
      34,
      "news of a file is recorded in reverse order",
      "gateways/sepa-batch/books-store.ts",
      "where tenant = :tenant and gateway_id = :gatewayId and acknowledged_at is null\n    order by number",
      "where tenant = :tenant and gateway_id = :gatewayId and acknowledged_at is null\n    order by number desc",
    ),
    [
      "tests/sepa/news.test.ts",
      "a file with a debit and its return creates both the completed event and the chargeback",
    ],
  ),
  guarded(
    bug(
      34,
      "a payment of another tenant with the same reference stops ours",
      "gateways/sepa-batch/outgoing/stopped-store.ts",
      "left join transactions     t on t.tenant = :tenant and t.merchant_transaction_id = c.reference",
      "left join transactions     t on (t.tenant = :tenant or t.tenant > 0) and t.merchant_transaction_id = c.reference",
    ),
    [
      "tests/sepa/runs.test.ts",
      "if two tenants have the same reference, the outcome of one payment does not change the other",
    ],
  ),
  guarded(
    bug(
      1006,
      "a cycle stays charged back when its return was withdrawn",
      "subscriptions/writes.ts",
      "c.status in ('retry', 'failed', 'charged_back', 'withdrawn')",
      "c.status in ('retry', 'failed', 'withdrawn')",
    ),
    [
      "tests/sepa/resolutions.test.ts",
      "the cycle of a renewal whose return was withdrawn is paid again, charged back",
    ],
  ),
  ...PLANTED_AROUND_FILES,
  ...PLANTED_AROUND_MONEY,
  ...PLANTED_FOR_EXTRAS,
];
