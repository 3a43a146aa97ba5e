/** The sandbox bank's page, where a test verification is confirmed or refused: {host_url}/sandbox/verifications/{id}. */
import type { Deps } from "../../deps.ts";
import { findByVerification, type Book } from "../../gateways/sandbox/store.ts";
import { answerVerification, returnUrlOf } from "../../gateways/sandbox/verification.ts";
import type { Answer, Failure, Router } from "../../http/endpoint.ts";
import { isUuid } from "../../lib/ids.ts";
import { Type } from "../../lib/schema.ts";
import { Refusal } from "../../refusals.ts";
import type { Pages } from "../build-pages.ts";
import { shownDebit } from "../debit.ts";
import { LANGUAGE_NAMES } from "../texts/all.ts";
import { findPage } from "../store.ts";
import { troubleOf } from "../trouble.ts";
import { sandboxBankBody } from "./sandbox-bank-page.ts";
import { sessionOfVerification } from "./store.ts";

const PATH = "/sandbox/verifications/{id}";
const params = Type.Object({ id: Type.String() });
const query = Type.Object({ lang: Type.Optional(Type.String()) });
const response = { 200: Type.Unknown() };

/** Declares the page and its form. */
export function sandboxBankRoutes(router: Router, deps: Deps, pages: Pages): void {
  const common = {
    tag: "Sandbox",
    access: "anyone",
    hidden: true,
    renderError: troubleOf(pages, (id) => pages.sandboxBankPathOf(id), "id"),
  } as const;

  router.add("GET", PATH, {
    ...common,
    summary: "The sandbox bank's verification page",
    schema: { params, query, response },
    handle: async (call) => show(deps, pages, call, await bookOf(deps, call.params.id)),
  });

  router.add("POST", PATH, {
    ...common,
    summary: "The customer's decision",
    body: "form",
    schema: {
      params,
      query,
      body: Type.Object({ decision: Type.Enum(["confirm", "refuse"]) }),
      response,
    },
    async handle(call) {
      const book = await bookOf(deps, call.params.id);
      await answerVerification(deps, book, call.body.decision);
      return { status: 303, headers: { location: backUrl(deps, book, call.query.lang) ?? "/" }, body: "" };
    },
  });
}

/**
 * The sandbox's record of a verification.
 * @throws Refusal not_found.
 */
async function bookOf({ db }: Pick<Deps, "db">, id: string): Promise<Book> {
  const book = isUuid(id) ? await findByVerification(db, id) : null;
  if (book === null) throw new Refusal("not_found");
  return book;
}

interface PageCall {
  readonly params: { readonly id: string };
  readonly query: { readonly lang?: string };
  readonly headers: Failure["headers"];
}

/**
 * Shows the page.
 * @throws Refusal not_found once the payment's session is deleted.
 */
async function show(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log" | "time">,
  pages: Pages,
  { params: { id }, query: { lang }, headers }: PageCall,
  book: Book,
): Promise<Answer> {
  const { tenant, gateway_id: gatewayId, reference } = book;
  const now = deps.time.now(tenant);
  const sessionId = await sessionOfVerification(deps.db, tenant, gatewayId, reference);
  const row = sessionId === null ? null : await findPage(deps.db, tenant, sessionId, now);
  if (row === null) throw new Refusal("not_found");
  const debit = await shownDebit(deps, tenant, row, now);
  const at = { now, path: pages.sandboxBankPathOf(id), chosen: lang, headers };
  const sheet = pages.sheet(row, debit, at);
  const body = sandboxBankBody(sheet, book, backUrl(deps, book, sheet.words.language));
  return pages.body(sheet, body, headers, { formsLeadAway: true });
}

/** The return address, with the language chosen here. */
function backUrl(deps: Pick<Deps, "keys">, book: Book, lang: string | undefined): string | null {
  const url = returnUrlOf(deps, book);
  if (url !== null && LANGUAGE_NAMES.some(([tag]) => tag === lang)) url.searchParams.set("lang", lang ?? "");
  return url?.href ?? null;
}
