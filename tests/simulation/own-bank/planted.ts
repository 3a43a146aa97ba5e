/** Small defects around the merchant's own bank, each put into a copy of the service for the simulation of the bank to find. */
import type { PlantedBug } from "../planted.ts";

type Change = PlantedBug["changes"][number];

const bug = (
  name: string,
  file: string,
  from: string,
  to: string,
  ...more: readonly Change[]
): PlantedBug => ({
  name: `bank: ${name}`,
  changes: [{ file, from, to }, ...more],
  sql: "",
  script: "scripts/simulate-bank.ts",
});

export const PLANTED_AT_THE_BANK: readonly PlantedBug[] = [
  bug(
    "a refund is written although the debit came back while it waited",
    "sepa-files/stopped-store.ts",
    "when c.refund_of is not null and (o.state is distinct from 'settled' or p.status = 'charged_back') then 'back'",
    "when c.refund_of is not null and o.reference is null then 'back'",
  ),
  bug(
    "a refund goes to the account that was given at the payment",
    "sepa-files/outgoing-store.ts",
    "debtor = coalesce(b.debtor, c.debtor),",
    "debtor = c.debtor,",
  ),
  bug(
    "a mandate is debited in the scheme of the account",
    "sepa-files/blocks.ts",
    "return row.refund_of === null ? (row.scheme ?? scheme) : scheme;",
    'return row.refund_of === null ? (scheme === "B2B" ? "CORE" : (row.scheme ?? scheme)) : scheme;',
  ),
  bug(
    "FRST is said of each collection of a mandate",
    "sepa-files/outgoing-store.ts",
    "where u.tenant = $1 and u.mandate_id = m.id and u.state in ('batched', 'settled', 'returned')) as mandate_unused",
    "where u.tenant = $1 and u.mandate_id = m.id and u.state in ('fenced')) as mandate_unused",
  ),
  bug(
    "FRST is said until a collection has settled",
    "sepa-files/outgoing-store.ts",
    "where u.tenant = $1 and u.mandate_id = m.id and u.state in ('batched', 'settled', 'returned')) as mandate_unused",
    "where u.tenant = $1 and u.mandate_id = m.id and u.state in ('settled', 'returned')) as mandate_unused",
  ),
  bug(
    "a mandate's change counts as told although the bank rejected the file",
    "gateways/sepa/store.ts",
    "and told.state in ('settled', 'returned')))`;",
    "and told.state in ('batched', 'rejected', 'settled', 'returned')))`;",
  ),
  bug(
    "an account whose identifier changed debits old mandates under the new one unannounced",
    "sepa-files/collect.ts",
    'amendments.get(row.mandate_id ?? "") ?? [], first',
    '(amendments.get(row.mandate_id ?? "") ?? []).filter(({ kind }) => kind !== "creditor"), first',
  ),
  bug(
    "what names one of ours and was not understood is ignored",
    "sepa-files/apply-items.ts",
    "if (!namesIn(item.ids).some((name) => ours.has(name))) return",
    "if (ours.size >= 0) return",
  ),
  bug(
    "a block without a status does not have that of its file",
    "sepa-files/interpret-status.ts",
    "const status = block.status ?? (listed ? null : (reading.group?.status ?? null));",
    "const status = block.status;",
  ),
  bug(
    "a transaction without a status does not have that of its block",
    "sepa-files/interpret-status.ts",
    "const status = record.status ?? reading.block?.status ?? reading.group?.status ?? null;",
    "const status = record.status;",
  ),
  bug(
    "a report that calls our message by another name is about something else",
    "sepa/reading/status-codes.ts",
    'if (name === undefined) return "not_said";',
    'if (name === undefined) return "other";',
  ),
  bug(
    "money that comes again after a return is known",
    "sepa-files/decide.ts",
    "if (!after && isSame(booked.credit, item, on)) return known(booking);",
    'if (after || item.kind === "credit") return known(booking);',
  ),
  bug(
    "a fee under our id is a return",
    "sepa/reading/classify.ts",
    'if (FEES.has(subfamily ?? "")) return FEE;',
    "",
  ),
  bug(
    "refunds that are booked as one sum are nobody's",
    "sepa-files/apply-block.ts",
    'case "credit":\n    case "transfer_out":',
    'case "credit":',
  ),
  bug(
    "a sum that names the file and no block is nobody's",
    "sepa-files/ids.ts",
    "const messageId = blockId === null ? (usable(batch?.messageId) ?? usable(detail?.messageId)) : null;",
    "const messageId = null;",
  ),
  bug(
    "the currency of a booking is not compared",
    "sepa-files/decide.ts",
    "if (item.amount === centsFromDatabase(amount) && item.currency === currency) return null;",
    "if (item.amount === centsFromDatabase(amount)) return null;",
  ),
  bug(
    "the amount of a return is not compared",
    "sepa-files/decide.ts",
    "const wrong = wrongAmount(standing, item);",
    'const wrong = item.kind === "return" ? null : wrongAmount(standing, item);',
  ),
  bug(
    "a second return is known, whatever its day and reference",
    "sepa-files/decide.ts",
    "if (!isSame(booked.debit, item, on)) {",
    "if (booked.debit === undefined && !isSame(booked.debit, item, on)) {",
  ),
  bug(
    "a second credit is known, whatever its day and reference",
    "sepa-files/decide.ts",
    "return isSame(booked.credit, item, on) || on === standing.reinstated_on",
    "return booked.credit !== undefined || isSame(booked.credit, item, on) || on === standing.reinstated_on",
  ),
  bug(
    "money for a rejected collection is swallowed",
    "sepa-files/decide.ts",
    'return unmatched("money came for a collection that had been rejected");',
    "return known(booking);",
  ),
  bug(
    "a statement answers for one gateway of its account only",
    "sepa-files/store.ts",
    "array(select distinct id from held where iban in (select iban from own) order by id) as gateway_ids",
    "array(select distinct id from held where iban in (select iban from own) and id = $2 order by id) as gateway_ids",
  ),
  bug(
    "statements of a former account are refused",
    "sepa-files/store.ts",
    "select gateway_id, iban from sepa_creditor_accounts where tenant = $1",
    "select gateway_id, iban from sepa_creditor_accounts where tenant = -$1",
  ),
  bug(
    "a missing statement is not noticed",
    "sepa-files/statements/chain.ts",
    "const gap = before === null ? null : gapBetween(before, whole);",
    "const gap = before === null || whole === before ? null : (gapBetween(before, whole) ?? null) && null;",
  ),
  bug(
    "what a rejected refund has taken is not free again",
    "gateways/sepa/store.ts",
    "and r.state in ('accepted', 'batched', 'settled')) as refunded",
    "and r.state in ('accepted', 'batched', 'settled', 'rejected')) as refunded",
  ),
  bug(
    "a refund is taken a day early",
    "gateways/sepa/adapter.ts",
    "const REFUND_AFTER_TARGET_DAYS = 7;",
    "const REFUND_AFTER_TARGET_DAYS = 6;",
  ),
  bug(
    "the billing date is announced as the day of the debit",
    "billing/announce.ts",
    "return gateway.debitDay?.(begins < now ? now : begins, row.mandate_notice_days) ?? day;",
    "return gateway.debitDay === undefined ? day : row.next_billing_date;",
  ),
  bug(
    "a renewal that waits for its day is debited after its subscription has ended",
    "billing/withdraw.ts",
    "const withdrawn = (await gateway.withdraw?.(row.merchant_transaction_id, signal)) ?? false;",
    "const withdrawn = gateway.withdraw === undefined && signal.aborted;",
  ),
  bug(
    "a payment that was charged back by hand goes to the bank all the same",
    "sepa-files/stopped-store.ts",
    "when t.status in ('approved', 'declined', 'refunded', 'charged_back') then 'over'",
    "when t.status in ('approved', 'declined', 'refunded') then 'over'",
  ),
  bug(
    "a cancelled mandate is debited",
    "sepa-files/stopped-store.ts",
    "when c.refund_of is null and m.status in ('rejected', 'cancelled', 'expired') then 'mandate'",
    "when c.refund_of is null and m.status in ('rejected', 'expired') then 'mandate'",
  ),
  bug(
    "an expired mandate is debited",
    "sepa-files/stopped-store.ts",
    "when c.refund_of is null and m.status in ('rejected', 'cancelled', 'expired') then 'mandate'",
    "when c.refund_of is null and m.status in ('rejected', 'cancelled') then 'mandate'",
  ),
  bug(
    "a refusal that the merchant has to mend is tried again every hour",
    "subscriptions/cycle.ts",
    'if (failure.kind === "not_received") {',
    'if (failure.kind === "not_received" || failure.code === "gateway_unavailable") {',
  ),
  bug(
    "a cycle waits for the one before it, and all but the newest are skipped",
    "billing/due-store.ts",
    "and not (u.cancel_at_period_end and exists (",
    "and not (exists (",
    {
      file: "billing/renew.ts",
      from: "return begins && !(row.cancel_at_period_end && row.has_open);",
      to: "return begins && !row.has_open;",
    },
  ),
  bug(
    "money for what the bank had rejected cannot be settled by anybody",
    "sepa-files/resolutions.ts",
    'standing.state === "returned" || (standing.state === "rejected" && standing.file_id !== null);',
    'standing.state === "returned" && standing.file_id !== null;',
  ),
  bug(
    "a sum less the bank's fee cannot be settled by anybody",
    "sepa-files/resolutions.ts",
    "(item.amount ?? 0) + (said.bankFee ?? 0) + said.parts",
    "(item.amount ?? 0) + said.parts",
  ),
  bug(
    "a return that names a mandate is looked for under the name of the payment's day",
    "sepa-files/outgoing-store.ts",
    "mandate_reference = b.mandate_reference,",
    "mandate_reference = c.mandate_reference,",
    {
      file: "sepa-files/changes-store.ts",
      from: "select id as mandate_id from mandates where tenant = $1 and upper(reference",
      to: "select id as mandate_id from mandates where tenant = -$1 and upper(reference",
    },
  ),
  bug(
    "a file whose day has passed is handed out as it is",
    "sepa-files/take-back.ts",
    "if (today > latest) return",
    'if (today > latest && latest === "") return',
  ),
  bug(
    "an upload of which nobody knows whether it arrived is sent again",
    "sepa-files/send.ts",
    'if (file.status === "renaming" && !there.includes(hidden)) {',
    'if (file.status === "renaming" && hidden === "") {',
    {
      file: "sepa-files/send.ts",
      from: 'if (file.status !== "renaming") {',
      to: 'if (file.status !== "renaming" || !there.includes(hidden)) {',
    },
  ),
  bug(
    "files that never went settle by silence",
    "sepa-files/changes-store.ts",
    "and c.due_date <= $3::date\n      and f.status = 'sent'",
    "and c.due_date <= $3::date",
  ),
  bug(
    "news of a file is written down in reverse",
    "gateways/sepa/store.ts",
    "where tenant = $1 and gateway_id = $2 and acknowledged_at is null\n    order by number",
    "where tenant = $1 and gateway_id = $2 and acknowledged_at is null\n    order by number desc",
  ),
  bug(
    "a payment of another tenant with the same reference stops ours",
    "sepa-files/stopped-store.ts",
    "left join transactions     t on t.tenant = $1 and t.merchant_transaction_id = c.reference",
    "left join transactions     t on t.tenant in ($1, 1, 2) and t.merchant_transaction_id = c.reference",
  ),
  bug(
    "a cycle stays charged back when its return was taken back",
    "payments/reinstate-store.ts",
    "c.status in ('retry', 'failed', 'charged_back')",
    "c.status in ('retry', 'failed')",
  ),
];
