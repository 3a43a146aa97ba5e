/** Adds data that grows with payments and is not seeded with them: events, deliveries, and the request log. */
import type pg from "pg";

/**
 * Gives the tenant this many of each of which it has less than half as many, with a merchant's distribution: almost all
 * of the usual kind, to one receiver, delivered; requests of the days that the log keeps.
 */
export async function withHistory(client: pg.Client, tenant: number, count: number): Promise<void> {
  const id = (name: string) => `md5('${name}' || t.id)::uuid`;
  for (const [table, insert] of [
    [
      "events",
      `insert into events (tenant, id, type, session_id, transaction_id, payload, created_at, fanned_out_at)
     select $1, ${id("event")}, 'transaction.status_changed', t.session_id, t.id, '{}', t.created_at, t.created_at
       from (select * from transactions where tenant = $1 order by created_at desc, id desc limit $2) t`,
    ],
    [
      "webhook_deliveries",
      `insert into webhook_deliveries
       (tenant, id, event_id, event_number, event_type, profile_id, session_id, subject_id, payload_fields, ascii_escape, status,
        attempts, response_code, delivered_at, created_at)
     select $1, ${id("delivery")}, e.id, e.number, e.type, p.id, e.session_id, coalesce(e.session_id, t.id), '{}', false,
            'delivered', 1, 200, e.created_at, e.created_at
       from (select * from events where tenant = $1 limit $2) e
       join transactions t on t.tenant = $1 and t.id = e.transaction_id
       join (select id from webhook_profiles where tenant = $1 order by id limit 1) p on true
     on conflict do nothing`,
    ],
    [
      "webhook_attempts",
      `insert into webhook_attempts (tenant, delivery_id, number, at, duration_ms, response_code)
     select $1, d.id, 1, d.delivered_at, 80, 200
       from (select * from webhook_deliveries where tenant = $1 limit $2) d
     on conflict do nothing`,
    ],
    [
      "requests",
      `insert into requests (tenant, id, request_id, method, route, status, duration_ms, api_key_id, created_at)
     select $1, ${id("request")}, t.id::text, 'POST', '/api/v1/payment-sessions/', 201, 5, k.id, now() - random() * interval '6 days'
       from (select id from transactions where tenant = $1 limit $2) t
       join (select id from api_keys where tenant = $1 order by created_at limit 1) k on true
     on conflict do nothing`,
    ],
  ] as const) {
    const { rows } = await client.query<{ found: boolean }>(
      `select count(*) > $2::integer / 2 as found from (select from ${table} where tenant = $1 limit $2::integer) e`,
      [tenant, count],
    );
    if (rows[0]?.found === true) continue;
    await client.query(insert, [tenant, count]);
    await client.query(`analyze ${table}`);
  }
}
