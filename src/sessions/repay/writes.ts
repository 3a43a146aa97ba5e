/**
 * The SQL fragment that closes the sessions of a payment that was reinstated. The file is below its folder in the arrow
 * (scripts/house.ts), so that payments can use it.
 */

/**
 * SQL of `with` branches that close the unpaid sessions which repeat the payment `:id`; `s` has their ids. One that is
 * being paid is left out, because its claim waits for the payment (`CLAIM` in src/sessions/attempt-store.ts).
 */
export const REPAYING_CLOSED = `idle as (
     select id from sessions
      where tenant = :tenant and repays_transaction_id = :id and status = 'PENDING' and open_transaction_id is null
        for no key update skip locked
   ), s as (
     update sessions set status = 'EXPIRED', closed_at = :now
       from idle
      where sessions.tenant = :tenant and sessions.id = idle.id
     returning sessions.id
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause)
     select :tenant, s.id, :now, 'PENDING', 'EXPIRED', 'cancelled' from s
   )` as const;
