/** The SQL of mandate files: known references, a batch of the import, a page of the export. */
import { sql, type Reader, type Tx } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import type { LeadRow, MandateRow } from "../../db/rows.ts";
import { AMENDMENT_REPORTED } from "../amendments.ts";
import type { Window } from "../../lib/window.ts";
import { leadsImported } from "../../sessions/leads.ts";
import type { MandateFileRow } from "./rows.ts";

const KNOWN = sql(
  "mandates.known_references",
  `select upper(reference collate "C") as key, iban_fingerprint from mandates
    where tenant = :tenant and upper(reference collate "C") = any (:keys::text[])
    union all
   select upper(original_reference collate "C"), null from mandate_amendments
    where tenant = :tenant and upper(original_reference collate "C") = any (:keys::text[])`,
).gives<{ key: string; iban_fingerprint: Buffer | null }>();

/** Maps references in upper case to the account of their mandate, or null for former references. */
export async function knownReferences(
  db: Reader,
  tenant: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Buffer | null>> {
  const rows = await db.query(KNOWN, { tenant, keys });
  return new Map(rows.map(({ key, iban_fingerprint }) => [key, iban_fingerprint]));
}

const LIVE = sql(
  "mandates.has_live_gateway",
  "select from gateways where tenant = :tenant and not test_mode limit 1",
);

/** Whether real money may move under an imported mandate, which names no gateway. */
export async function hasLiveGateway(db: Reader, tenant: number): Promise<boolean> {
  return (await db.query(LIVE, { tenant })).length === 1;
}

/** A mandate to be inserted; bytes are in PostgreSQL's hexadecimal format. */
export type NewMandate = Omit<MandateFileRow, "iban" | "original" | "lead"> &
  MandateFileRow["lead"] & {
    readonly id: string;
    readonly lead_id: string;
    readonly email_key: string;
    readonly iban_sealed: string;
    readonly iban_fingerprint: string;
    readonly iban_last4: string;
    readonly iban_country: string;
    readonly iban_length: number;
    readonly bank_name: string | null;
  };

export interface NewOriginal {
  readonly mandate_id: string;
  readonly number: number;
  readonly kind: "reference" | "creditor" | "account";
  readonly original_reference: string | null;
  readonly original_creditor_identifier: string | null;
  readonly original_creditor_name: string | null;
  readonly original_iban_sealed: string | null;
  readonly original_iban_country: string | null;
  readonly original_iban_last4: string | null;
  readonly same_bank: boolean | null;
}

const INSERT = sql(
  "mandates.insert_imported",
  `with given as (
     select * from jsonb_to_recordset(:mandates::jsonb) as r (
       id uuid, lead_id uuid, email_key text, email text, first_name text, last_name text, country text, address text,
       postal_code text, city text, reference text, status text, scheme text, type text, signed_at timestamptz,
       last_used_at timestamptz, holder_name text, bic text, bank_name text, language text,
       pre_notification_days integer, creditor_name text, creditor_identifier text, cancelled_at timestamptz,
       cancelled_by text, status_reason text, iban_sealed bytea, iban_fingerprint bytea, iban_last4 text,
       iban_country text, iban_length integer
     )
   ), l as (${leadsImported({ given: "given" })}
   ), m as (
     insert into mandates
       (tenant, id, reference, lead_id, status, accepted_at, creditor_name, creditor_identifier, creditor_address,
        creditor_postal_code, creditor_city, creditor_country, holder_name,
        iban_sealed, iban_fingerprint, iban_last4, iban_length, iban_country, bic, bank_name, last_used_at, used_elsewhere, scheme,
        type, source, language, pre_notification_days, cancelled_at, cancelled_by, status_reason,
        created_at, updated_at)
     select :tenant, g.id, g.reference, l.id, g.status, g.signed_at, coalesce(g.creditor_name, n.name),
            coalesce(g.creditor_identifier, n.creditor_identifier),
            case when g.creditor_name is null and n.city is not null then n.address end,
            case when g.creditor_name is null and n.city is not null then n.postal_code end,
            case when g.creditor_name is null then n.city end,
            case when g.creditor_name is null and n.city is not null then n.country end, g.holder_name,
            g.iban_sealed, g.iban_fingerprint, g.iban_last4, g.iban_length, g.iban_country, g.bic, g.bank_name,
            g.last_used_at,
            g.last_used_at is not null or g.id in (select r.mandate_id from jsonb_to_recordset(:originals::jsonb) as r (mandate_id uuid)),
            g.scheme, g.type, 'import', g.language, g.pre_notification_days, g.cancelled_at,
            g.cancelled_by, g.status_reason, :at, :at
       from given g
       join l on l.email_key = g.email_key
       join tenants n on n.tenant = :tenant
     returning id
   ), a as (
     insert into mandate_amendments
       (tenant, mandate_id, number, at, kind, original_reference, original_creditor_identifier,
        original_creditor_name, original_iban_sealed, original_iban_country, original_iban_last4, same_bank)
     select :tenant, r.mandate_id, r.number, :at, r.kind, r.original_reference, r.original_creditor_identifier,
            r.original_creditor_name, r.original_iban_sealed, r.original_iban_country, r.original_iban_last4, r.same_bank
       from jsonb_to_recordset(:originals::jsonb) as r (
         mandate_id uuid, number integer, kind text, original_reference text, original_creditor_identifier text,
         original_creditor_name text, original_iban_sealed bytea, original_iban_country text,
         original_iban_last4 text, same_bank boolean
       )
       join m on m.id = r.mandate_id
   )
   select count(*)::integer as created from m`,
);

/** Inserts a batch. The caller has locked its references. */
export async function insertImported(
  tx: Tx,
  tenant: number,
  mandates: readonly NewMandate[],
  originals: readonly NewOriginal[],
  at: Date,
): Promise<void> {
  await tx.write(INSERT, {
    tenant,
    mandates: JSON.stringify(mandates),
    originals: JSON.stringify(originals),
    at,
  });
}

/** A mandate to export, with its amendments that the bank does not know yet. */
export interface ExportedRow
  extends
    Pick<
      MandateRow,
      | "tenant"
      | "id"
      | "reference"
      | "status"
      | "scheme"
      | "type"
      | "accepted_at"
      | "last_used_at"
      | "holder_name"
      | "iban_sealed"
      | "iban_country"
      | "iban_last4"
      | "bic"
      | "language"
      | "pre_notification_days"
      | "creditor_name"
      | "creditor_identifier"
      | "cancelled_at"
      | "cancelled_by"
      | "status_reason"
      | "created_at"
    >,
    Pick<LeadRow, "email" | "first_name" | "last_name" | "country" | "address" | "postal_code" | "city"> {
  readonly original_reference: string | null;
  readonly original_creditor_identifier: string | null;
  readonly original_creditor_name: string | null;
  readonly account_number: number | null;
  readonly original_iban_sealed: Buffer | null;
  readonly original_iban_country: string | null;
  readonly original_iban_last4: string | null;
  readonly same_bank: boolean | null;
}

/** The bank knows the values before the first unreported change. */
const unannounced = (kind: string, as: string) => `
       left join lateral (
         select * from mandate_amendments a
          where a.tenant = :tenant and a.mandate_id = m.id and a.kind = '${kind}' and not ${AMENDMENT_REPORTED}
          order by a.number limit 1
       ) ${as} on true`;

const EXPORTED = `
     select m.tenant, m.id, m.reference, m.status, m.scheme, m.type, m.accepted_at, m.last_used_at, m.holder_name,
            m.iban_sealed, m.iban_country, m.iban_last4, m.bic, m.language, m.pre_notification_days, m.creditor_name,
            m.creditor_identifier, m.cancelled_at, m.cancelled_by, m.status_reason, m.created_at,
            l.email, l.first_name, l.last_name, l.country, l.address, l.postal_code, l.city,
            r.original_reference, c.original_creditor_identifier, c.original_creditor_name,
            b.number as account_number, b.original_iban_sealed, b.original_iban_country, b.original_iban_last4,
            b.same_bank
       from mandates m
       join leads l on l.tenant = :tenant and l.id = m.lead_id
       ${unannounced("reference", "r")} ${unannounced("creditor", "c")} ${unannounced("account", "b")}
      where m.tenant = :tenant and m.status = any (:statuses::text[])` as const;

const EXPORT = listed("mandates.export", EXPORTED, ["m.created_at", "m.id"]).gives<ExportedRow>();

export function exportedMandates(
  db: Reader,
  tenant: number,
  statuses: readonly string[],
  { towards, at, id, limit }: Window,
): Promise<readonly ExportedRow[]> {
  return db.query(EXPORT[towards], { tenant, statuses, at, id, limit });
}
