/** `management/hosted-pages/{id}/mandate-texts/`: the merchant's own mandate texts. */
import { Type } from "../../lib/schema.ts";
import type { MandateTextRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { nullable, oneOf } from "../../http/fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../../http/paging.ts";
import { NullableText, Time, Uuid } from "../../http/response-fields.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { isUuid } from "../../lib/ids.ts";
import { must } from "../../lib/assert.ts";
import { IdInPath, MANAGEMENT, TAG } from "../../management/resource-routes.ts";
import { SCHEMES } from "../../mandates/mandate.ts";
import {
  MERCHANT_TEXT_CHARS_MAX,
  merchantTextProblem,
  PLACES_IN_WORDS,
} from "../../mandates/merchant-text.ts";
import { Refusal } from "../../refusals.ts";
import { LANGUAGES } from "../texts/all.ts";
import { publishMandateText } from "./publish.ts";
import { listMandateTexts } from "./store.ts";

const PATH = `${MANAGEMENT}hosted-pages/{id}/mandate-texts/`;

const Given = Type.Object(
  {
    language: oneOf(LANGUAGES),
    scheme: Type.Optional(oneOf(SCHEMES)),
    text: nullable(
      Type.String({
        maxLength: MERCHANT_TEXT_CHARS_MAX,
        description: `Paragraphs, parted by blank lines. ${PLACES_IN_WORDS} null: the scheme's own text again.`,
      }),
    ),
  },
  { $id: "MandateTextCreate" },
);
const MandateText = Type.Object(
  {
    id: Uuid,
    scheme: Type.Enum([...SCHEMES]),
    language: Type.String(),
    version: Type.Integer(),
    text: NullableText,
    created_at: Time,
  },
  { $id: "MandateText" },
);

/** Declares the endpoints. */
export function mandateTextRoutes(router: Router, deps: Deps): void {
  router.add("POST", PATH, {
    summary: "Publish a mandate text of a hosted page",
    description:
      "Replaces the page's mandate text in one language for mandates signed from now on; signed mandates keep the version that was accepted.",
    tag: TAG,
    access: "settings",
    schema: { params: IdInPath, body: Given, response: { 201: MandateText } },
    bodyProblems: ({ usable }) => {
      const problem = typeof usable["text"] === "string" ? merchantTextProblem(usable["text"]) : null;
      return problem === null ? {} : { text: [problem] };
    },
    async handle(call) {
      const { language, scheme = "CORE", text } = call.body;
      const row = await publishMandateText(deps, {
        tenant: tenantOf(call),
        pageId: pageIdOf(call.params.id),
        author: call,
        operationId: call.operationId,
        language: must(
          LANGUAGES.find((ours) => ours === language),
          "a language of ours",
        ),
        scheme,
        text,
      });
      return { status: 201, body: shown(row) };
    },
  });

  router.add("GET", PATH, {
    summary: "List the mandate texts of a hosted page, newest first",
    tag: TAG,
    access: "read",
    schema: { params: IdInPath, query: Type.Object(PAGE_QUERY), response: { 200: pageSchema(MandateText) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const pageId = pageIdOf(call.params.id);
      const page = await pageOf(
        deps,
        { tenant, path: PATH.replace("{id}", pageId), query: call.query },
        (window) => listMandateTexts(deps.db, tenant, pageId, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(shown) } };
    },
  });
}

/**
 * The page's id from the path.
 * @throws Refusal not_found.
 */
function pageIdOf(id: string): string {
  if (!isUuid(id)) throw new Refusal("not_found");
  return id.toLowerCase();
}

function shown({ id, scheme, language, version, text, created_at }: MandateTextRow) {
  return { id, scheme, language, version, text, created_at: created_at.toISOString() };
}
