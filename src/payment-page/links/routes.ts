/** The page of a payment link: {host_url}/pay/link/{token}/. Opening it writes nothing; its form starts a session. */
import { Type, type Static } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import type { Answer, Failure, Router } from "../../http/endpoint.ts";
import { isEmail } from "../../http/fields.ts";
import { Refusal } from "../../refusals.ts";
import { SEPA_IBAN_CODES } from "../../sepa/iban.ts";
import { chosenAmount, openLink, takesPayments } from "../../sessions/links/open.ts";
import { readLinkToken } from "../../sessions/links/token.ts";
import type { Pages } from "../build-pages.ts";
import { troubleOf } from "../trouble.ts";
import { LINK_FIELDS, linkPage, type LinkField, type TypedAtLink } from "./link-page.ts";
import { findPaymentLink, type LinkRow } from "./store.ts";

const PAGE = "/pay/link/{token}/";
const Token = Type.Object({ token: Type.String() });
const Query = Type.Object({ lang: Type.Optional(Type.String()) });
const Form = Type.Object({
  amount: Type.Optional(Type.String()),
  first_name: Type.Optional(Type.String()),
  last_name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  country: Type.Optional(Type.String()),
});
const NAME_CHARS_MAX = 255;

/** Declares the routes. */
export function linkRoutes(router: Router, deps: Deps, pages: Pages): void {
  const here = {
    tag: "Payment page",
    hidden: true,
    access: "anyone",
    renderError: troubleOf(pages, (token) => pages.linkPathOf(token)),
  } as const;

  router.add("GET", PAGE, {
    ...here,
    summary: "The page of a payment link",
    limit: "page",
    schema: { params: Token, query: Query, response: { 200: Type.Unknown() } },
    handle: async (call) => show(deps, pages, call, await linkAt(deps, call.params.token), {}, []),
  });

  router.add("POST", PAGE, {
    ...here,
    summary: "Begin a payment by a payment link",
    limit: "payment_link",
    body: "form",
    schema: { params: Token, query: Query, body: Form, response: { 200: Type.Unknown() } },
    async handle(call) {
      const link = await linkAt(deps, call.params.token);
      const { tenant, row } = link;
      const typed = trimmed(call.body);
      const words = pages.wordsOf(row, { chosen: call.query.lang, headers: call.headers });
      const amount = chosenAmount(row, words.plainAmount(typed.amount ?? ""));
      const wrong = wrongFields(row, typed, amount);
      if (wrong.length > 0) return show(deps, pages, call, link, typed, wrong);
      const { first_name = "", last_name = "", email = "", country = "" } = typed;
      const url = await openLink(deps, {
        tenant,
        id: deps.ids.uuid(),
        link: row,
        lead: { first_name, last_name, email, country },
        amount,
      });
      if (url === null) return show(deps, pages, call, link, typed, []);
      const { lang } = call.query;
      const search = lang === undefined ? "" : `?lang=${encodeURIComponent(lang)}`;
      return { status: 303, headers: { location: new URL(url).pathname + search }, body: "" };
    },
  });
}

interface FoundLink {
  readonly tenant: number;
  readonly row: LinkRow;
}

/**
 * The link of a token.
 * @throws Refusal not_found, the same for any other text and for a link that was never created.
 */
async function linkAt(deps: Pick<Deps, "db" | "time">, token: string): Promise<FoundLink> {
  const address = readLinkToken(token);
  if (address === null) throw new Refusal("not_found");
  const { tenant, id } = address;
  const row = await findPaymentLink(deps.db, tenant, id, deps.time.now(tenant));
  if (row === null) throw new Refusal("not_found");
  return { tenant, row };
}

interface ShownCall {
  readonly params: { readonly token: string };
  readonly query: Static<typeof Query>;
  readonly headers: Failure["headers"];
}

async function show(
  deps: Pick<Deps, "adapters" | "allowPrivateTargets" | "db">,
  pages: Pages,
  { params, query, headers }: ShownCall,
  { tenant, row }: FoundLink,
  typed: TypedAtLink,
  wrong: readonly LinkField[],
): Promise<Answer> {
  const isOpen = await takesPayments(deps, tenant, row);
  const status = !isOpen ? 410 : wrong.length > 0 ? 422 : 200;
  const path = pages.linkPathOf(params.token);
  const at = { path, chosen: query.lang, headers };
  const view = { row, takesPayments: isOpen, typed, wrong };
  return pages.merchant(status, row, at, (sheet) => linkPage({ ...sheet, row }, view));
}

function trimmed(body: Static<typeof Form>): TypedAtLink {
  return Object.fromEntries(LINK_FIELDS.map((name) => [name, (body[name] ?? "").trim()]));
}

function wrongFields(
  { amount_min: min }: LinkRow,
  { first_name = "", last_name = "", email = "", country = "" }: TypedAtLink,
  amount: string | null,
): readonly LinkField[] {
  const isName = (text: string) => text !== "" && text.length <= NAME_CHARS_MAX;
  const right: Readonly<Record<LinkField, boolean>> = {
    amount: min === null || amount !== null,
    first_name: isName(first_name),
    last_name: isName(last_name),
    email: isEmail(email),
    country: SEPA_IBAN_CODES.includes(country),
  };
  return LINK_FIELDS.filter((name) => !right[name]);
}
