/** The SQL of the sandbox bank's page: the payment's session and merchant. */
import { sql, type Reader } from "../../db/database.ts";

const FIND = sql(
  "sandbox_bank.find_session",
  `select session_id from transactions
    where tenant = :tenant and gateway_id = :gatewayId and merchant_transaction_id = :reference and session_id is not null`,
).gives<{ session_id: string }>();

/** The session of the payment that a verification belongs to; null if there is none. */
export async function sessionOfVerification(
  db: Reader,
  tenant: number,
  gatewayId: string,
  reference: string,
): Promise<string | null> {
  return (await db.query(FIND, { tenant, gatewayId, reference }))[0]?.session_id ?? null;
}
