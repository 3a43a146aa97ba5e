/** `management/unmatched/`: entries of bank files that could not be matched, and how a person resolves them. */
import type { Deps } from "../../../deps.ts";
import { tenantOf, type Router } from "../../../http/endpoint.ts";
import { pageOf, pageSchema } from "../../../http/paging.ts";
import { isUuid } from "../../../lib/ids.ts";
import { IdInPath, MANAGEMENT } from "../../../management/resource-routes.ts";
import { Refusal } from "../../../refusals.ts";
import { resolveUnmatched } from "./resolve.ts";
import {
  readResolution,
  ResolveBody,
  shownUnmatched,
  Suggestions,
  Unmatched,
  UnmatchedQuery,
} from "./schemas.ts";
import { findUnmatched, listUnmatched, type UnmatchedRow } from "./store.ts";
import { suggest } from "./suggest.ts";

const UNMATCHED = `${MANAGEMENT}unmatched/`;
const tag = "SEPA files";
const RESOLVE_WORDS =
  "`apply`: it concerns one transaction. `settle`: it is the money of a list of transactions, a block or a file, also of refunds that left as one sum. " +
  "`part`: it is part of that money; the sum of the parts settles it. `reject`: the bank has rejected all of these that wait for " +
  "an answer; without any, all of the block or file that the entry names. `reinstate`: it is money for a transaction that the " +
  "bank had rejected, or whose return it reversed. `dismiss`: it changes nothing. Differing amounts are refused " +
  "unless `bank_fee` explains the difference or `accept_amount` is true; a smaller return is recorded with its own amount.";

/** Declares the endpoints on the router. */
export function unmatchedRoutes(router: Router, deps: Deps): void {
  router.add("GET", UNMATCHED, {
    summary: "List unmatched entries of the bank's files",
    tag,
    access: "read",
    schema: {
      query: UnmatchedQuery,
      response: { 200: pageSchema(Unmatched) },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { status = null } = call.query;
      const page = await pageOf(
        deps,
        { tenant, path: UNMATCHED, query: call.query },
        (window) => listUnmatched(deps.db, tenant, status, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(shownUnmatched) } };
    },
  });

  router.add("GET", `${UNMATCHED}{id}/`, {
    summary: "Read an unmatched entry",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: Unmatched } },
    handle: async (call) => ({
      status: 200,
      body: shownUnmatched(await requireUnmatched(deps, tenantOf(call), call.params.id)),
    }),
  });

  router.add("GET", `${UNMATCHED}{id}/suggestions/`, {
    summary: "List the transactions that an unmatched entry may be about",
    description:
      "Found by the references that it names, by its mandate, and by its amount among what was sent in the weeks before.",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: Suggestions } },
    async handle(call) {
      const tenant = tenantOf(call);
      const row = await requireUnmatched(deps, tenant, call.params.id);
      return { status: 200, body: { results: await suggest(deps.db, tenant, row) } };
    },
  });

  router.add("POST", `${UNMATCHED}{id}/resolve/`, {
    summary: "Resolve an unmatched entry: apply or dismiss it",
    description: RESOLVE_WORDS,
    tag,
    access: "bank",
    schema: { params: IdInPath, body: ResolveBody, response: { 200: Unmatched } },
    async handle(call) {
      const tenant = tenantOf(call);
      if (!isUuid(call.params.id)) throw new Refusal("not_found");
      const { operationId } = call;
      const row = await resolveUnmatched(deps, {
        tenant,
        id: call.params.id,
        operationId,
        author: call,
        ...readResolution(call.body),
      });
      return { status: 200, body: shownUnmatched(row) };
    },
  });
}

/** @throws Refusal not_found. */
export async function requireUnmatched(
  deps: Pick<Deps, "db">,
  tenant: number,
  id: string,
): Promise<UnmatchedRow> {
  const row = isUuid(id) ? await findUnmatched(deps.db, tenant, id) : null;
  if (row === null) throw new Refusal("not_found");
  return row;
}
