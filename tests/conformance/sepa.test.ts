/** A bank account passes the suite of all adapters: each instruction is recorded once. */
import { randomBytes, randomUUID } from "node:crypto";
import { sepaAdapter } from "../../src/gateways/sepa-batch/adapter.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createKeyring, defaultKeys } from "../../src/lib/keyring.ts";
import { commonTime } from "../../src/tenants/clock/time.ts";
import { testDatabase } from "../support/database.ts";
import { CREDITOR } from "../support/sepa-bank.ts";
import { gatewayConformance } from "./gateway.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

const TENANT = 1;
const GATEWAY = "018f0000-0000-7000-8000-000000000001";
const ABILITIES = { refunds: true, answersGetLost: false, settlesLater: false, verification: false };

gatewayConformance("sepa_batch", ABILITIES, async () => {
  const database = await testDatabase();
  const { db } = database;
  const run = (text: string, values: readonly unknown[]) => db.commit(...adHoc(text, values));
  await run(
    "insert into tenants (id, name, session_lifetime_seconds, created_at, updated_at) values ($1, 'Shop', 86400, now(), now())",
    [randomUUID()],
  );
  await run(
    `insert into gateways (tenant, id, name, adapter, test_mode, settings, completed_event_at, active, created_at, updated_at)
     values ($1, $2, 'Bank', 'sepa_batch', true, '{}', 'acceptance', true, now(), now())`,
    [TENANT, GATEWAY],
  );
  const settings = {
    creditor_name: "Shop",
    creditor_iban: CREDITOR.iban,
    creditor_identifier: CREDITOR.identifier,
  };
  const keys = createKeyring(defaultKeys(randomBytes(32)));
  const parts = { db, keys, ids: randomIds, publicUrl: "http://pay.example.test" };
  const adapter = sepaAdapter({ ...parts, time: commonTime(systemClock) });
  return {
    gateway: adapter.connect({ tenant: TENANT, gatewayId: GATEWAY, settings, credentials: {} }),
    accepts: "pending",
    ibans: {
      approved: "DE89370400440532013000",
      // Outside the European Economic Area, and the suite's customer gives no address.
      declined: "CH9300762011623852957",
    },
    async books(reference) {
      const rows = await db.query<{ charges: number; refunded: number }>(
        ...adHoc(
          `select count(*) filter (where reference = $1 and state in ('accepted', 'settled'))::int as charges,
                        coalesce(sum(amount * 100) filter (where refund_of = $1 and state = 'accepted'), 0)::int as refunded
                   from sepa_collections`,
          [reference],
        ),
      );
      return { charges: rows[0]?.charges ?? 0, refunded: rows[0]?.refunded ?? 0 };
    },
    async settle(reference) {
      await run(
        "update sepa_collections set state = 'settled', settled_on = current_date - 30 where reference = $1 and state = 'accepted'",
        [reference],
      );
    },
    close: () => database.close(),
  };
});
