/** The SQL of mandate amendments: writes them, finds the customers concerned, and reports them to the bank. */
import { sql, type Tx } from "../db/database.ts";
import type { LeadRow, MandateAmendmentRow, MandateRow } from "../db/rows.ts";
import { ANNOUNCED_AGAIN } from "../subscriptions/writes.ts";

/** Serialises writers of a tenant's references in mandates and amendments, as a unique index covers only one table. */
const LOCK_REFERENCES = sql(
  "mandates.lock_references",
  "select tenant from tenants where tenant = :tenant for no key update",
);
const USED = sql(
  "mandates.used_references",
  `select upper(original_reference collate "C") as key from mandate_amendments
    where tenant = :tenant and upper(original_reference collate "C") = any (:keys::text[])
    union
   select upper(reference collate "C") from mandates
    where tenant = :tenant and upper(reference collate "C") = any (:keys::text[])`,
).gives<{ key: string }>();

/** Waits for other writers of the tenant's references. */
export async function lockReferences(tx: Tx, tenant: number): Promise<void> {
  await tx.query(LOCK_REFERENCES, { tenant });
}

/**
 * Which of these references are or were in use.
 * @param keys in upper case.
 */
export async function usedReferences(
  tx: Tx,
  tenant: number,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query(USED, { tenant, keys });
  return new Set(rows.map(({ key }) => key));
}

const UPDATE = sql(
  "mandates.amend",
  `with announced as (${ANNOUNCED_AGAIN}
   )
   update mandates
      set reference = :reference, creditor_identifier = :creditorIdentifier, creditor_name = :creditorName, holder_name = :holderName, iban_sealed = :ibanSealed,
          iban_fingerprint = :ibanFingerprint, iban_last4 = :ibanLast4, iban_country = :ibanCountry, iban_length = :ibanLength, bic = :bic, bank_name = :bankName,
          bank_confirmed_on = :bankConfirmedOn::date, updated_at = :now
    where tenant = :tenant and id = :id`,
);

/** Updates the fields that an amendment may change. */
export async function writeAmended(tx: Tx, row: MandateRow, now: Date): Promise<void> {
  await tx.write(UPDATE, {
    tenant: row.tenant,
    id: row.id,
    reference: row.reference,
    creditorIdentifier: row.creditor_identifier,
    creditorName: row.creditor_name,
    holderName: row.holder_name,
    ibanSealed: row.iban_sealed,
    ibanFingerprint: row.iban_fingerprint,
    ibanLast4: row.iban_last4,
    ibanCountry: row.iban_country,
    ibanLength: row.iban_length,
    bic: row.bic,
    bankName: row.bank_name,
    bankConfirmedOn: row.bank_confirmed_on,
    now,
  });
}

const COUNT_AMENDMENTS = sql(
  "mandates.count_amendments",
  `select coalesce(max(number), 0)::integer as count from mandate_amendments
    where tenant = :tenant and mandate_id = :mandateId`,
).gives<{ count: number }>();

/** The number of amendments of a locked mandate. */
export async function countAmendments(tx: Tx, tenant: number, mandateId: string): Promise<number> {
  const rows = await tx.query(COUNT_AMENDMENTS, { tenant, mandateId });
  return rows[0]?.count ?? 0;
}

const BANK_DEBTOR = sql(
  "mandates.bank_debtor",
  `select l.city, coalesce(g.settings ->> 'message_version' = 'pain.008.001.02', false) as old_version
     from mandates m
     join leads l    on l.tenant = :tenant and l.id = m.lead_id
     join gateways g on g.tenant = :tenant and g.adapter = 'sepa_batch'
                    and g.id in (select t.gateway_id from transactions t where t.tenant = :tenant and t.session_id = m.session_id
                                  union all
                                 select c.gateway_id from sepa_collections c where c.tenant = :tenant and c.mandate_id = m.id)
    where m.tenant = :tenant and m.id = :id
    order by old_version desc
    limit 1`,
).gives<BankDebtor>();

/** A customer whom a sepa_batch gateway debits, and whether its files can contain addresses. */
interface BankDebtor extends Pick<LeadRow, "city"> {
  readonly old_version: boolean;
}

/** The customer of a mandate that a sepa_batch gateway debits; null for other gateways. */
export async function findBankDebtor(tx: Tx, tenant: number, id: string): Promise<BankDebtor | null> {
  return (await tx.query(BANK_DEBTOR, { tenant, id }))[0] ?? null;
}

const DEBITED_LIVE = sql(
  "mandates.debited_live",
  `select from mandates m
    where m.tenant = :tenant and m.id = :id and exists (
      select from gateways g
       where g.tenant = :tenant and not g.test_mode
         and (m.session_id is null
              or g.id in (select s.gateway_id from sessions s where s.tenant = :tenant and s.id = m.session_id
                           union all
                          select u.gateway_id from subscriptions u where u.tenant = :tenant and u.mandate_id = m.id)))`,
);

/** Whether a mandate is debited with real money; an imported one may be debited at any gateway. */
export async function isDebitedLive(tx: Tx, tenant: number, id: string): Promise<boolean> {
  return (await tx.query(DEBITED_LIVE, { tenant, id })).length === 1;
}

const INSERT_AMENDMENT = sql(
  "mandates.insert_amendment",
  `insert into mandate_amendments
     (tenant, mandate_id, number, at, kind, original_reference, original_creditor_identifier, original_creditor_name,
      original_holder_name, original_iban_sealed, original_iban_country, original_iban_last4, same_bank, accepted_ip, text_version)
   values (:tenant, :mandateId, :number, :at, :kind, :originalReference, :originalCreditorIdentifier, :originalCreditorName, :originalHolderName, :originalIbanSealed, :originalIbanCountry, :originalIbanLast4, :sameBank,
           :acceptedIp, :textVersion)`,
);

export type NewAmendment = Pick<MandateAmendmentRow, "number" | "at" | "kind"> &
  Partial<Omit<MandateAmendmentRow, "tenant" | "mandate_id" | "number" | "at" | "kind" | "sent_at">>;

export async function insertAmendment(
  tx: Tx,
  tenant: number,
  mandateId: string,
  made: NewAmendment,
): Promise<void> {
  await tx.write(INSERT_AMENDMENT, {
    tenant,
    mandateId,
    number: made.number,
    at: made.at,
    kind: made.kind,
    originalReference: made.original_reference ?? null,
    originalCreditorIdentifier: made.original_creditor_identifier ?? null,
    originalCreditorName: made.original_creditor_name ?? null,
    originalHolderName: made.original_holder_name ?? null,
    originalIbanSealed: made.original_iban_sealed ?? null,
    originalIbanCountry: made.original_iban_country ?? null,
    originalIbanLast4: made.original_iban_last4 ?? null,
    sameBank: made.same_bank ?? null,
    acceptedIp: made.accepted_ip ?? null,
    textVersion: made.text_version ?? null,
  });
}

const ANNOUNCE_AMENDMENTS = sql(
  "mandates.announce_amendments",
  `update mandate_amendments a set sent_at = :now
     from jsonb_to_recordset(:announced::jsonb) as told (mandate_id uuid, up_to integer)
    where a.tenant = :tenant and a.mandate_id = told.mandate_id and a.number <= told.up_to and a.sent_at is null and a.kind <> 'holder'`,
);

/** Records that the file being written reports these mandates' amendments, each up to a number. */
export async function announceAmendments(
  tx: Tx,
  tenant: number,
  announced: readonly { readonly mandate_id: string; readonly up_to: number }[],
  now: Date,
): Promise<void> {
  await tx.write(ANNOUNCE_AMENDMENTS, { tenant, announced: JSON.stringify(announced), now });
}
