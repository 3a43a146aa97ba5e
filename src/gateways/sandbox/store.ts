/** The sandbox bank's books in SQL: each decision is one statement, so that concurrent callers cannot both win. */
import { sql, type Database, type Reader } from "../../db/database.ts";
import { writesTogether } from "../../db/together.ts";
import type { SandboxBookRow } from "../../db/rows.ts";

export type Book = SandboxBookRow;
export type BookState = Book["state"];

/** The account that the books belong to. */
export interface Account {
  readonly tenant: number;
  readonly gatewayId: string;
}

export interface NewBook {
  readonly reference: string;
  readonly bankReference: string;
  readonly verificationId: string | null;
  readonly scenario: string;
  readonly state: BookState;
  /** With two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly mandateReference: string;
  readonly creditorName: string;
  readonly ibanLast4: string;
  /** Sealed. */
  readonly returnUrl: Buffer;
  readonly answerCode: string | null;
  readonly answerMessage: string | null;
  readonly chargedAt: Date | null;
  readonly now: Date;
}

const OPEN = writesTogether(
  "sandbox.open_book",
  {
    gatewayId: "uuid",
    reference: "text",
    bankReference: "text",
    verificationId: "uuid",
    scenario: "text",
    state: "text",
    amount: "numeric",
    currency: "text",
    mandateReference: "text",
    creditorName: "text",
    ibanLast4: "text",
    returnUrl: "bytea",
    answerCode: "text",
    answerMessage: "text",
    chargedAt: "timestamptz",
    now: "timestamptz",
  },
  `with b as (
     insert into sandbox_books
       (tenant, gateway_id, reference, bank_reference, verification_id, scenario, state, amount, currency,
        mandate_reference, creditor_name, iban_last4, return_url, answer_code, answer_message, charged_at, created_at)
     select :tenant, gatewayId, reference, bankReference, verificationId, scenario, state, amount, currency,
            mandateReference, creditorName, ibanLast4, returnUrl, answerCode, answerMessage, chargedAt, now
       from v order by gatewayId, reference
         on conflict (tenant, gateway_id, reference) do update set asked_count = sandbox_books.asked_count + 1
     returning *
   )
   select v.n, b.* from b join v on v.gatewayId = b.gateway_id and v.reference = b.reference`,
  ({ gatewayId, reference }) => [`${String(gatewayId)} ${String(reference)}`],
).gives<Book>();

/** Inserts the instruction unless one with this reference exists. Returns the row of that reference. */
export async function openBook(db: Database, account: Account, book: NewBook): Promise<Book> {
  const { tenant, gatewayId } = account;
  const rows = await db.together(OPEN, tenant, { gatewayId, ...book });
  const row = rows[0];
  if (row === undefined) throw new Error("The sandbox's books could not be written");
  return row;
}

/** SQL: the account holder refuses, or the scenario is one that always refuses. */
const IS_REFUSED = "(:refuses::boolean or scenario = 'verify_fails')" as const;

const ANSWER = sql(
  "sandbox.answer_verification",
  `update sandbox_books
      set state = case when ${IS_REFUSED} then 'refused' else 'charged' end,
          charged_at = case when ${IS_REFUSED} then charged_at else :now end,
          answer_code = case when ${IS_REFUSED} then 'MD01' end,
          answer_message = case when ${IS_REFUSED} then 'The account holder did not confirm the mandate.' end
    where tenant = :tenant and gateway_id = :gatewayId and reference = :reference
      and verification_id = :verificationId and state = 'awaiting_customer'
   returning *`,
).gives<Book>();

/** Records the first answer to a verification, and charges if the holder agreed; null if it was answered before. */
export async function answerBook(
  db: Database,
  account: Account,
  reference: string,
  answer: { readonly verificationId: string | null; readonly refuses: boolean; readonly now: Date },
): Promise<Book | null> {
  const { tenant, gatewayId } = account;
  return (await db.commit(ANSWER, { tenant, gatewayId, reference, ...answer }))[0] ?? null;
}

interface NewRefund {
  readonly reference: string;
  /** The reference of the collection. */
  readonly refundOf: string;
  readonly bankReference: string;
  /** With two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly now: Date;
}

/** Locks the collection's row first, so that concurrent refunds each see what is left. */
const OPEN_REFUND = sql(
  "sandbox.open_refund",
  `with collected as (
     select *, amount - refunded as left_over from sandbox_books
      where tenant = :tenant and gateway_id = :gatewayId and reference = :refundOf and refund_of is null
        for update
   ), answer as (
     select case when c.reference is null or c.currency <> :currency then 'NOOR'
                 when c.state not in ('charged', 'settled') then 'ARDT'
                 when c.left_over < :amount::numeric then 'AM02'
            end as code
       from (select 1) one left join collected c on true
   ), r as (
     insert into sandbox_books
       (tenant, gateway_id, reference, refund_of, bank_reference, scenario, state, amount, currency,
        mandate_reference, creditor_name, iban_last4, answer_code, answer_message, charged_at, created_at)
     select :tenant, :gatewayId, :reference, :refundOf, :bankReference, coalesce(c.scenario, 'unknown collection'),
            case when a.code is not null then 'refused'
                 when c.scenario = 'settle_later' then 'pending' else 'refunded' end,
            :amount, :currency, coalesce(c.mandate_reference, ''), coalesce(c.creditor_name, ''), coalesce(c.iban_last4, ''),
            a.code,
            case when a.code = 'NOOR' then 'No such collection.'
                 when a.code = 'ARDT' then 'This collection was not paid, or has gone back already.'
                 when a.code = 'AM02' then 'The refund is above what is left of the collection.' end,
            case when a.code is null then :now::timestamptz end, :now
       from answer a left join collected c on true
         on conflict (tenant, gateway_id, reference) do update set asked_count = sandbox_books.asked_count + 1
     returning *
   ), counted as (
     update sandbox_books b
        set refunded = b.refunded + r.amount
       from r
      where b.tenant = :tenant and b.gateway_id = :gatewayId and b.reference = :refundOf
        and r.state in ('refunded', 'pending') and r.asked_count = 1
   )
   select * from r`,
).gives<Book>();

/** Refunds once per reference, if enough of the collection is left. Returns the row of that reference. */
export async function bookRefund(db: Database, account: Account, refund: NewRefund): Promise<Book> {
  const { reference, refundOf, bankReference, amount, currency, now } = refund;
  const { tenant, gatewayId } = account;
  const values = { tenant, gatewayId, reference, refundOf, bankReference, amount, currency, now };
  const rows = await db.commit(OPEN_REFUND, values);
  const row = rows[0];
  if (row === undefined) throw new Error("The sandbox's books could not be written");
  return row;
}

const FIND = sql(
  "sandbox.find_book",
  "select * from sandbox_books where tenant = :tenant and gateway_id = :gatewayId and reference = :reference",
).gives<Book>();

export async function findBook(db: Reader, account: Account, reference: string): Promise<Book | null> {
  const rows = await db.query(FIND, { tenant: account.tenant, gatewayId: account.gatewayId, reference });
  return rows[0] ?? null;
}

const NEWEST_OF_MANDATE = sql(
  "sandbox.newest_of_mandate",
  `select state from sandbox_books
    where tenant = :tenant and gateway_id = :gatewayId and mandate_reference = :mandateReference and refund_of is null
    order by created_at desc
    limit 1`,
).gives<Pick<Book, "state">>();

/** Whether the last collection on a mandate was refused. */
export async function wasRefused(db: Reader, account: Account, mandateReference: string): Promise<boolean> {
  const values = { tenant: account.tenant, gatewayId: account.gatewayId, mandateReference };
  const rows = await db.query(NEWEST_OF_MANDATE, values);
  return rows[0]?.state === "refused";
}

const FENCE = sql(
  "sandbox.fence",
  `insert into sandbox_books
     (tenant, gateway_id, reference, bank_reference, scenario, state, amount, currency, mandate_reference,
      creditor_name, iban_last4, asked_count, created_at, reported_at)
   values (:tenant, :gatewayId, :reference, '', 'never received', 'fenced', 0, '', '', '', '', 0, :now, :now)
       on conflict (tenant, gateway_id, reference) do update
      set state = case when sandbox_books.state = 'awaiting_customer' then 'fenced' else sandbox_books.state end
   returning *`,
).gives<Book>();

/** The final outcome of a reference. If it has not been charged by now, it never will be. */
export async function fence(db: Database, account: Account, reference: string, now: Date): Promise<Book> {
  const rows = await db.commit(FENCE, {
    tenant: account.tenant,
    gatewayId: account.gatewayId,
    reference,
    now,
  });
  const row = rows[0];
  if (row === undefined) throw new Error("The sandbox's books could not be written");
  return row;
}

const UNREPORTED = sql(
  "sandbox.unreported",
  `select * from sandbox_books
    where tenant = :tenant and gateway_id = :gatewayId and reported_at is null
      and (state in ('pending', 'settled', 'returned', 'charged_back')
           or (state = 'charged' and scenario = 'charge_back' and amount > 0))
    order by created_at, reference
    limit :limit offset :skip`,
).gives<Book>();

/** The news of the next settlement tick, without the first `skip`. */
export function unreported(
  db: Reader,
  account: Account,
  limit: number,
  skip: number,
): Promise<readonly Book[]> {
  return db.query(UNREPORTED, { tenant: account.tenant, gatewayId: account.gatewayId, limit, skip });
}

const REPORTED = sql(
  "sandbox.reported",
  `update sandbox_books set state = :state, reported_at = :now
    where tenant = :tenant and gateway_id = :gatewayId and reference = :reference and reported_at is null`,
);

export async function markReported(
  db: Database,
  account: Account,
  reference: string,
  state: BookState,
  now: Date,
): Promise<void> {
  await db.commit(REPORTED, { tenant: account.tenant, gatewayId: account.gatewayId, reference, state, now });
}

/** SQL: a collection that can still be returned, in full. */
const IS_WITH_MERCHANT =
  "tenant = :tenant and reference = :reference and refund_of is null and refunded = 0 and state in ('pending', 'charged', 'settled')" as const;

const CAN_COME_BACK = sql(
  "sandbox.can_come_back",
  `select state from sandbox_books where ${IS_WITH_MERCHANT}`,
).gives<Pick<Book, "state">>();

/** How a collection would come back; null if it cannot. */
export async function comesBackAs(
  db: Reader,
  tenant: number,
  reference: string,
): Promise<"returned" | "charged_back" | null> {
  const [book] = await db.query(CAN_COME_BACK, { tenant, reference });
  if (book === undefined) return null;
  return book.state === "pending" ? "returned" : "charged_back";
}

const COME_BACK = sql(
  "sandbox.come_back",
  `update sandbox_books
      set scenario = case when state = 'pending' then 'return_later' else 'charge_back' end,
          charged_at = case when state = 'settled' then coalesce(reported_at, charged_at) else charged_at end,
          reported_at = null
    where ${IS_WITH_MERCHANT}
   returning reference`,
).gives<Pick<Book, "reference">>();

/**
 * Lets the next settlement tick return a collection, like the scenario of another test account. Its settlement day
 * stays the same. Returns false for one that cannot come back.
 */
export async function letComeBack(db: Database, tenant: number, reference: string): Promise<boolean> {
  return (await db.commit(COME_BACK, { tenant, reference })).length > 0;
}

const BY_VERIFICATION = sql(
  "sandbox.by_verification",
  `-- every tenant: the customer's browser brings nothing but the verification's id
   select * from sandbox_books where verification_id = :verificationId`,
).gives<Book>();

export async function findByVerification(db: Reader, verificationId: string): Promise<Book | null> {
  const rows = await db.query(BY_VERIFICATION, { verificationId });
  return rows[0] ?? null;
}
