/** The pages of chargebacks. */
import type { Deps } from "../../deps.ts";
import { timesAsText } from "../../http/times-as-text.ts";
import { isUuid } from "../../lib/ids.ts";
import { ChargebackQuery, chargebackFilters } from "../../payments/chargebacks/routes.ts";
import { findChargeback, listChargebacks } from "../../payments/chargebacks/store.ts";
import { Refusal } from "../../refusals.ts";
import { findTransaction } from "../../reports/transactions/store.ts";
import { queryWithColumns } from "../design/columns.ts";
import type { ConsoleRouter } from "../guard.ts";
import { CHARGEBACK_COLUMNS, chargebackPage, chargebacksPage, CHARGEBACKS_PATH } from "./chargebacks.ts";
import { AnyQuery, AnyIdInPath, readListPage, response } from "./listed.ts";
import { daysAsked, listQueryOf } from "./list-query.ts";
import { listCampaigns, listGateways } from "./store.ts";
import { viewsOf } from "./view-routes.ts";

const listQuery = listQueryOf(queryWithColumns(ChargebackQuery.properties, CHARGEBACK_COLUMNS));

/** Declares the pages. */
export function chargebackPageRoutes(console: ConsoleRouter, deps: Deps): void {
  console.get(CHARGEBACKS_PATH, "payments.read", {
    summary: "Chargebacks",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = listQuery(call.query);
      const now = deps.time.now(tenant);
      const filters = { ...chargebackFilters(given.asked), ...daysAsked(given, words, now) };
      const [page, gateways, campaigns, views] = await Promise.all([
        readListPage(deps, { tenant, path: CHARGEBACKS_PATH }, given, (window) =>
          listChargebacks(deps.db, tenant, filters, window),
        ),
        listGateways(deps.db, tenant),
        listCampaigns(deps.db, tenant),
        viewsOf(deps, call, "chargebacks"),
      ]);
      const body = chargebacksPage({ words, now, given, gateways, campaigns, views, ...page });
      return call.page(words.say("chargebacks"), body, { headed: true });
    },
  });

  console.get(`${CHARGEBACKS_PATH}{id}/`, "payments.read", {
    summary: "A chargeback",
    schema: { params: AnyIdInPath, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const { id } = call.params;
      const chargeback = isUuid(id) ? await findChargeback(deps.db, tenant, id) : null;
      if (chargeback === null) throw new Refusal("not_found");
      const { transaction_id: payment } = chargeback;
      const [transaction, gateways] = await Promise.all([
        payment === null ? null : findTransaction(deps.db, tenant, payment),
        listGateways(deps.db, tenant),
      ]);
      const body = chargebackPage({
        words,
        now: deps.time.now(tenant),
        chargeback,
        gateway: gateways.find((one) => one.id === chargeback.payment_gateway_id)?.name ?? null,
        mandate: transaction?.mandate_id ?? null,
        raw: JSON.stringify(timesAsText(chargeback), null, 2),
      });
      const title = words.money(chargeback.amount, chargeback.currency);
      return call.page(title, body, { headed: true });
    },
  });
}
