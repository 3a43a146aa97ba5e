/** Saved views: saving, renaming and deleting them from their list. */
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Author } from "../../management/audit/audit.ts";
import type { Action } from "../../people/access.ts";
import { listViews } from "../../people/view-store.ts";
import { changeViewName, removeView, saveView, viewQuery } from "../../people/views.ts";
import { Refusal } from "../../refusals.ts";
import { seeOther } from "../answer.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyIdInPath, response } from "./listed.ts";
import { BANK_PATH, STATEMENTS_PATH, UNMATCHED_PATH } from "./bank.ts";
import { CHARGEBACKS_PATH } from "./chargebacks.ts";
import { CUSTOMERS_PATH } from "./customers.ts";
import { MANDATES_PATH } from "./mandates.ts";
import { PAYMENTS_PATH } from "./payments.ts";
import { SUBSCRIPTIONS_PATH } from "./subscriptions.ts";
import { VIEWS_PATH, type ViewedList, type Views } from "./views.ts";

/** The path of each list, and who may see it. */
const LISTS: Readonly<Record<ViewedList, readonly [path: string, action: Action]>> = {
  payments: [PAYMENTS_PATH, "payments.read"],
  customers: [CUSTOMERS_PATH, "payments.read"],
  subscriptions: [SUBSCRIPTIONS_PATH, "payments.read"],
  mandates: [MANDATES_PATH, "payments.read"],
  chargebacks: [CHARGEBACKS_PATH, "payments.read"],
  bank_files: [BANK_PATH, "bank.read"],
  bank_statements: [STATEMENTS_PATH, "bank.read"],
  bank_entries: [UNMATCHED_PATH, "bank.read"],
};

type ViewCall = Pick<ConsoleCall<{ response: typeof response }>, "person" | "csrf" | "may">;

/** What a list's page shows of its views. */
export async function viewsOf(
  deps: Pick<Deps, "db" | "ids">,
  { person, csrf, may }: ViewCall,
  list: ViewedList,
): Promise<Views> {
  const saved = await listViews(deps.db, { tenant: person.tenant, person: person.id, list });
  return { saved, csrf, mayShare: may("views.share"), newId: deps.ids.uuid() };
}

/** Declares the forms. */
export function viewRoutes(console: ConsoleRouter, deps: Deps): void {
  console.post(VIEWS_PATH, "payments.read", {
    summary: "Save a view of a list",
    schema: {
      body: AnyForm,
      response,
    },
    async handle(call) {
      const { id = "", list = "", name = "", query: asked, shared } = call.body;
      const path = pathOf(call, list);
      if (!isUuid(id)) throw new Refusal("not_found");
      const query = viewQuery(Object.fromEntries(new URLSearchParams(asked)));
      await saveView(deps, whoOf(call), { id, list, name, query, shared: shared !== undefined });
      return seeOther(`${path}?${query}`);
    },
  });

  console.post(`${VIEWS_PATH}{id}/`, "payments.read", {
    summary: "Rename a view",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { list, query } = await changeViewName(
        deps,
        whoOf(call),
        call.params.id,
        call.body["name"] ?? "",
      );
      return seeOther(`${pathOf(call, list)}?${query}`);
    },
  });

  console.post(`${VIEWS_PATH}{id}/remove/`, "payments.read", {
    summary: "Delete a view",
    schema: { params: AnyIdInPath, response },
    async handle(call) {
      const { list } = await removeView(deps, whoOf(call), call.params.id);
      return seeOther(pathOf(call, list));
    },
  });
}

function whoOf(call: Pick<ViewCall, "person" | "may"> & Author) {
  const { tenant, id: person } = call.person;
  return { tenant, person, author: call, sees: (list: string) => seenPath(call, list) !== null };
}

/**
 * The path of a list.
 * @throws Refusal not_found for a list that has no views, or that the person may not see.
 */
function pathOf(call: Pick<ViewCall, "may">, list: string): string {
  const path = seenPath(call, list);
  if (path === null) throw new Refusal("not_found");
  return path;
}

function seenPath({ may }: Pick<ViewCall, "may">, list: string): string | null {
  if (!Object.hasOwn(LISTS, list)) return null;
  const [path, action] = LISTS[list as ViewedList];
  return may(action) ? path : null;
}
