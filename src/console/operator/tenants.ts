/** The operator's list of tenants, with counts of their payments. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { TenantRow } from "../../db/rows.ts";
import type { Environment } from "../../deps.ts";
import { archivedFilter } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { badge, copyableReference, time } from "../design/values.ts";
import { listPage, type ListPage } from "../pages/list.ts";
import { TENANTS_PATH } from "./places.ts";

/** The number of days over which payments are counted. */
export const COUNTED_DAYS = 30;

type ShownTenant = Pick<TenantRow, "tenant" | "id" | "name" | "created_at" | "archived_at">;

interface TenantsPage extends ListPage<ShownTenant> {
  readonly environment: Environment;
  /** The number of payments by the tenant's number. */
  readonly payments: ReadonlyMap<number, number>;
}

export function tenantsPage(page: TenantsPage): Html {
  const { words, now, rows, payments, environment } = page;
  const { say, texts } = words;
  return listPage(page, {
    path: TENANTS_PATH,
    title: say("tenants"),
    none: [say("noTenants"), say("noTenantsHint")],
    above: html`<p class="soft">
      ${texts.tenantsWhat[environment]} ${say("paymentsOfDays", { days: COUNTED_DAYS })}
    </p>`,
    filters: (query) => [archivedFilter(words, query)],
    table: () =>
      table(
        say("tenants"),
        [
          { title: say("name") },
          { title: "ID", as: "spare" },
          { title: say("status") },
          { title: say("created"), as: "short spare" },
          { title: say("payments"), as: "number" },
        ],
        rows.map(({ tenant, id, name, created_at: created, archived_at: archived }) => [
          name,
          copyableReference(words, id),
          archived === null
            ? badge("good", texts.states["active"] ?? "")
            : badge("attention", say("archived")),
          time(words, created, now),
          words.number(payments.get(tenant) ?? 0),
        ]),
      ),
  });
}
