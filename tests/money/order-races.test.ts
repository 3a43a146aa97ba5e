/** Two payments of one order change at the same moment: the order's status follows from both, whichever is first. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { News, StatusNews } from "../../src/gateways/gateway.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { createRace } from "../support/at-once.ts";
import { subscribe, switchAccount } from "../support/billing.ts";
import { createMerchant, IBAN, type Merchant } from "../support/merchant.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";

const race = createRace();
let service: Service;
let merchant: Merchant;
let tenant: number;

before(async () => {
  service = await startService({ between: race.between });
  merchant = await createMerchant(service);
  const path = `/api/v1/management/tenants/${merchant.tenantId}/`;
  const fields = { subscription_after_chargeback: "past_due" };
  await service.call("PATCH", path, fields, { key: OPERATOR_KEY });
  const [row] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  tenant = row?.["tenant"];
});
after(() => service.close());

function tell(kind: StatusNews["kind"], reference: string): Promise<unknown> {
  const told = { reference, at: new Date() };
  const news: News =
    kind === "settled" || kind === "reinstated"
      ? { kind, ...told }
      : { kind, ...told, reasonCode: "MD06", reasonMessage: null };
  return applyNews(service.app.deps, tenant, merchant.gatewayId, news);
}

interface Purchase {
  readonly id: string;
  /** Of the first payment. */
  readonly first: Json;
  /** Of the renewals, oldest first. */
  readonly renewals: readonly Json[];
}

/** A subscription with its first payment at this account and renewals that were collected at once. */
async function purchase(iban: string, renewals: number): Promise<Purchase> {
  const id = await subscribe(merchant, { billing_frequency: undefined }, iban);
  await switchAccount(service, id, IBAN.approved);
  for (let n = 0; n < renewals; n += 1)
    await service.post(`management/subscriptions/${id}/collect/`, undefined, { key: merchant.key });
  const all = await service.rows(
    "select id, merchant_transaction_id as reference from transactions where subscription_id = $1 order by created_at",
    [id],
  );
  assert.equal(all.length, renewals + 1);
  return { id, first: all[0] ?? {}, renewals: all.slice(1) };
}

async function statuses(id: string): Promise<string> {
  const [row] = await service.rows(
    `select o.status as "order", u.status as subscription
       from subscriptions u join orders o on o.tenant = u.tenant and o.id = u.order_id where u.id = $1`,
    [id],
  );
  return `${row?.["order"]}, ${row?.["subscription"]}`;
}

const atOnce = (first: () => Promise<unknown>, second: () => Promise<unknown>) =>
  race.atOnce(service, first, second);

type Change = (of: Purchase) => Promise<unknown>;

const reinstate: Change = ({ renewals }) => tell("reinstated", renewals[0]?.["reference"]);

/** A refund of the first payment that the sandbox has accepted but not yet made; its reference. */
async function refundOfFirst({ first }: Purchase): Promise<string> {
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  const path = `management/transactions/${first["id"]}/refunds/`;
  const { body, text } = await service.post(path, {}, { key: merchant.key });
  assert.equal(body["status"], "pending", text);
  return body["merchant_transaction_id"];
}

interface Case {
  readonly what: string;
  readonly iban: string;
  readonly renewals: number;
  /** The operation concurrent with the reinstatement of the first renewal. */
  readonly change: (of: Purchase) => Promise<Change>;
  readonly end: string;
}

const CASES: readonly Case[] = [
  {
    what: "another renewal is charged back",
    iban: IBAN.approved,
    renewals: 2,
    change:
      async () =>
      ({ renewals }) =>
        tell("charged_back", renewals[1]?.["reference"]),
    end: "CHARGEDBACK, PAST_DUE",
  },
  {
    what: "the first payment is charged back by hand",
    iban: IBAN.approved,
    renewals: 1,
    change:
      async () =>
      ({ first }) =>
        service.post("management/chargebacks/", { transaction_id: first["id"] }, { key: merchant.key }),
    end: "CHARGEDBACK, PAST_DUE",
  },
  {
    what: "the first payment's refund arrives",
    iban: IBAN.pending,
    renewals: 1,
    async change(of) {
      const reference = await refundOfFirst(of);
      return () => tell("settled", reference);
    },
    end: "REFUNDED, ACTIVE",
  },
  {
    what: "the first payment settles",
    iban: IBAN.pending,
    renewals: 1,
    change:
      async () =>
      ({ first }) =>
        tell("settled", first["reference"]),
    end: "COMPLETED, ACTIVE",
  },
  {
    what: "the first payment is returned",
    iban: IBAN.pending,
    renewals: 1,
    change:
      async () =>
      ({ first }) =>
        tell("returned", first["reference"]),
    end: "FAILED, CANCELLED",
  },
];

for (const { what, iban, renewals, change, end } of CASES) {
  for (const isFirst of [true, false]) {
    // Holds SESSION-5 and SUBSCRIPTION-5.
    test(`a renewal is reinstated ${isFirst ? "just before" : "just after"} ${what}: ${end}`, async () => {
      const bought = await purchase(iban, renewals);
      const other = await change(bought);
      await tell("charged_back", bought.renewals[0]?.["reference"]);
      assert.equal(await statuses(bought.id), "CHARGEDBACK, PAST_DUE");
      const [one, two] = isFirst ? [reinstate, other] : [other, reinstate];
      await atOnce(
        () => one(bought),
        () => two(bought),
      );
      assert.equal(await statuses(bought.id), end);
    });
  }
}

/** A payment of 19.90; its id and its reference. */
async function paid(): Promise<{ readonly id: string; readonly reference: string }> {
  const { body, text } = await merchant.pay(await merchant.session(), IBAN.approved);
  assert.equal(body["status"], "completed", text);
  return { id: body["transaction"].id, reference: body["transaction"].merchant_transaction_id };
}

const refundOf = (id: string, body: object) =>
  service.post(`management/transactions/${id}/refunds/`, body, { key: merchant.key });

// Holds MONEY-7.
test("a refund that is asked for while a chargeback of its payment commits is refused, and takes nothing", async () => {
  const { id, reference } = await paid();
  let status = 0;
  await atOnce(
    () => tell("charged_back", reference),
    async () => {
      status = (await refundOf(id, {})).status;
    },
  );
  const [row] = await service.rows(
    `select status, refund_claimed as claimed, (select count(*)::int from transactions r where r.original_id = t.id) as refunds
       from transactions t where id = $1`,
    [id],
  );
  assert.deepEqual(
    { answered: status, ...row },
    { answered: 409, status: "charged_back", claimed: "0.00", refunds: 0 },
  );
});

// Holds MONEY-5.
test("a refund of all that is left, asked for while another one commits, gives back the rest", async () => {
  const { id } = await paid();
  let rest: Json = {};
  await atOnce(
    () => refundOf(id, { amount: "5.00" }),
    async () => {
      rest = (await refundOf(id, {})).body;
    },
  );
  assert.equal(rest["amount"], "14.90", JSON.stringify(rest));
});

test("two renewals charged back at almost the same time are both recorded", async () => {
  for (const which of [0, 1]) {
    const { id, renewals } = await purchase(IBAN.approved, 2);
    const [one, two] = [renewals[which]?.["reference"], renewals[1 - which]?.["reference"]];
    await atOnce(
      () => tell("charged_back", one),
      () => tell("charged_back", two),
    );
    assert.equal(await statuses(id), "CHARGEDBACK, PAST_DUE");
  }
});
