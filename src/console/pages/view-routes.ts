/** Saved views: saved, renamed and deleted from the list that they are of. */
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Author } from "../../management/audit/audit.ts";
import { listViews } from "../../people/view-store.ts";
import { changeViewName, removeView, saveView, viewQuery } from "../../people/views.ts";
import { Refusal } from "../../refusals.ts";
import { seeOther } from "../answer.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyIdInPath, response } from "./listed.ts";
import { PAYMENTS_PATH } from "./payments.ts";
import { VIEWS_PATH, type Views } from "./views.ts";

/** The lists that have views. */
const LISTS: ReadonlyMap<string, string> = new Map([["payments", PAYMENTS_PATH]]);

type ViewCall = Pick<ConsoleCall<{ response: typeof response }>, "person" | "csrf" | "may">;

/** What a list's page shows of its views. */
export async function viewsOf(deps: Deps, { person, csrf, may }: ViewCall, list: string): Promise<Views> {
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
      const path = pathOf(list);
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
      return seeOther(`${pathOf(list)}?${query}`);
    },
  });

  console.post(`${VIEWS_PATH}{id}/remove/`, "payments.read", {
    summary: "Delete a view",
    schema: { params: AnyIdInPath, response },
    async handle(call) {
      const { list } = await removeView(deps, whoOf(call), call.params.id);
      return seeOther(pathOf(list));
    },
  });
}

function whoOf(call: Pick<ConsoleCall<{ response: typeof response }>, "person"> & Author) {
  return { tenant: call.person.tenant, person: call.person.id, author: call };
}

/** @throws Refusal not_found for a list that has no views. */
function pathOf(list: string): string {
  const path = LISTS.get(list);
  if (path === undefined) throw new Refusal("not_found");
  return path;
}
