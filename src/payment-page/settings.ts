/** A hosted page: its look, its contents, and where it redirects the customer afterwards. */
import { Type, type Static } from "../lib/schema.ts";
import type { HostedPageRow } from "../db/rows.ts";
import type { Deps } from "../deps.ts";
import { email, nullable, oneOf, text } from "../http/fields.ts";
import { NullableText } from "../http/response-fields.ts";
import { dictionaryProblem } from "../management/dictionary.ts";
import { canonicalLocale, localeProblem } from "../management/locale.ts";
import type { Problems } from "../management/problems.ts";
import type { FieldMessages } from "../refusals.ts";
import { withoutAbsent, shownRecord, type RecordKind } from "../management/resource.ts";
import { Dictionary, recordSchema } from "../management/resource-schema.ts";
import type { PageLinks } from "./store.ts";
import { recordStore } from "../management/resource-store.ts";
import { addressProblem, type PlainHttp } from "../management/web-address.ts";

interface Branding {
  readonly logo_url: string | null;
  readonly primary_color: string;
  readonly accent_color: string;
}

const PLAIN: Branding = { logo_url: null, primary_color: "#1f2937", accent_color: "#2563eb" };
/** Limited because the origins are part of a header of every page. */
const FRAME_ORIGINS_MAX = 10;
/** The default maximum wait, as long as Stripe's page waits for the webhook before it redirects. */
export const REDIRECT_WAIT_SECONDS = 10;
const REDIRECT_WAIT_SECONDS_MAX = 30;
const ACCEPTANCE_MODES = ["checkbox", "IMPLICIT"] as const;

const Color = Type.String({
  pattern: "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$",
  message: "Must be a colour: #rgb, #rrggbb or #rrggbbaa.",
});
const Address = Type.Optional(nullable(text(2_000)));

const Create = Type.Object(
  {
    name: text(255),
    branding: Type.Optional(
      Type.Object(
        {
          logo_url: Type.Optional(nullable(text(2_000))),
          primary_color: Type.Optional(Color),
          accent_color: Type.Optional(Color),
        },
        { description: "Omitted colours are kept." },
      ),
    ),
    content: Type.Optional(Dictionary),
    show_product_name: Type.Optional(Type.Boolean()),
    show_product_price: Type.Optional(Type.Boolean()),
    show_product_description: Type.Optional(Type.Boolean()),
    offer_overrides: Type.Optional(Dictionary),
    success_redirect_url: Address,
    failure_redirect_url: Address,
    cancel_redirect_url: Address,
    redirect_wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: REDIRECT_WAIT_SECONDS_MAX,
        description:
          "How long after a payment the way to `success_redirect_url` waits for your receiver to acknowledge " +
          `\`payment_session.completed\`. Default ${REDIRECT_WAIT_SECONDS}.`,
      }),
    ),
    links: Type.Optional(
      Type.Object(
        {
          imprint_url: Address,
          privacy_url: Address,
          terms_url: Address,
          support_url: Address,
          support_email: Type.Optional(nullable(email())),
        },
        { description: "Shown at the foot of the page. Omitted ones are kept." },
      ),
    ),
    mandate_acceptance_mode: Type.Optional(oneOf(ACCEPTANCE_MODES)),
    frame_origins: Type.Optional(
      Type.Array(text(255), {
        maxItems: FRAME_ORIGINS_MAX,
        description: "Origins such as https://shop.example.com whose pages may show this one in a frame.",
      }),
    ),
    locale: Type.Optional(nullable(text(35, { description: "BCP 47, such as de-AT." }))),
  },
  { $id: "HostedPageCreate" },
);
const Patch = Type.Partial(Create, { $id: "HostedPagePatch" });
const HostedPage = recordSchema("HostedPage", {
  name: Type.String(),
  branding: Type.Object({
    logo_url: NullableText,
    primary_color: Type.String(),
    accent_color: Type.String(),
  }),
  content: Dictionary,
  show_product_name: Type.Boolean(),
  show_product_price: Type.Boolean(),
  show_product_description: Type.Boolean(),
  offer_overrides: Dictionary,
  success_redirect_url: NullableText,
  failure_redirect_url: NullableText,
  cancel_redirect_url: NullableText,
  redirect_wait_seconds: Type.Integer(),
  links: Type.Object({
    imprint_url: Type.Optional(NullableText),
    privacy_url: Type.Optional(NullableText),
    terms_url: Type.Optional(NullableText),
    support_url: Type.Optional(NullableText),
    support_email: Type.Optional(NullableText),
  }),
  mandate_acceptance_mode: Type.Enum([...ACCEPTANCE_MODES]),
  frame_origins: Type.Array(Type.String()),
  locale: NullableText,
});

type Fields = Static<typeof Patch>;

const COLUMNS = [
  "name",
  "branding",
  "content",
  "show_product_name",
  "show_product_price",
  "show_product_description",
  "offer_overrides",
  "success_redirect_url",
  "failure_redirect_url",
  "cancel_redirect_url",
  "redirect_wait_seconds",
  "links",
  "mandate_acceptance_mode",
  "frame_origins",
  "locale",
] as const;

export const hostedPageKind: RecordKind<HostedPageRow, Fields> = {
  resource: "hosted-pages",
  noun: "a hosted page",
  access: "settings",
  schemas: { create: Create, patch: Patch, record: HostedPage, created: HostedPage },
  store: recordStore<HostedPageRow>("hosted_pages", COLUMNS),
  defaults: () => ({
    branding: PLAIN,
    content: {},
    show_product_name: true,
    show_product_price: true,
    show_product_description: true,
    offer_overrides: {},
    redirect_wait_seconds: REDIRECT_WAIT_SECONDS,
    links: {},
    mandate_acceptance_mode: "checkbox",
    frame_origins: [],
  }),
  change: (_write, given, before) =>
    withoutAbsent({
      name: given.name,
      branding: given.branding && branding(given.branding, before),
      content: given.content,
      show_product_name: given.show_product_name,
      show_product_price: given.show_product_price,
      show_product_description: given.show_product_description,
      offer_overrides: given.offer_overrides,
      success_redirect_url: given.success_redirect_url,
      failure_redirect_url: given.failure_redirect_url,
      cancel_redirect_url: given.cancel_redirect_url,
      redirect_wait_seconds: given.redirect_wait_seconds,
      links: given.links && { ...(before?.links as PageLinks | undefined), ...withoutAbsent(given.links) },
      mandate_acceptance_mode: given.mandate_acceptance_mode,
      frame_origins: given.frame_origins,
      locale:
        typeof given.locale === "string" ? (canonicalLocale(given.locale) ?? given.locale) : given.locale,
    }),
  problems,
  render: (row) => shownRecord(row, COLUMNS),
  secrets: () => ({}),
};

function branding(given: NonNullable<Fields["branding"]>, before: HostedPageRow | null): Branding {
  const { logo_url, primary_color, accent_color } = given;
  const kept = before === null ? PLAIN : (before.branding as Branding);
  return { ...kept, ...withoutAbsent({ logo_url, primary_color, accent_color }) };
}

function problems(deps: Pick<Deps, "allowPrivateTargets">, given: Partial<Fields>): Problems {
  const plainHttp = deps.allowPrivateTargets ? "loopback" : "nowhere";
  const redirect = (url: string | null | undefined) => (url ? addressProblem(url, plainHttp) : null);
  const logo = given.branding?.logo_url;
  const logoProblem = logo ? addressProblem(logo, "nowhere") : null;
  return {
    branding: logoProblem === null ? null : { logo_url: [logoProblem] },
    content: given.content ? dictionaryProblem(given.content) : null,
    offer_overrides: given.offer_overrides ? dictionaryProblem(given.offer_overrides) : null,
    success_redirect_url: redirect(given.success_redirect_url),
    failure_redirect_url: redirect(given.failure_redirect_url),
    cancel_redirect_url: redirect(given.cancel_redirect_url),
    links: given.links ? linkProblems(given.links, redirect) : null,
    frame_origins: given.frame_origins ? originsProblem(given.frame_origins, plainHttp) : null,
    locale: localeProblem(given.locale),
  };
}

/** A message for each address that pages must not link to. */
function linkProblems(
  { support_email: _, ...addresses }: NonNullable<Fields["links"]>,
  problem: (url: string | null | undefined) => string | null,
): FieldMessages | null {
  const wrong = Object.entries(addresses).flatMap(([name, url]) => {
    const message = problem(url);
    return message === null ? [] : [[name, [message]] as const];
  });
  return wrong.length === 0 ? null : Object.fromEntries(wrong);
}

/** Only origins are allowed: anything else could add a rule to the page's security policy. */
function originsProblem(origins: readonly string[], plainHttp: PlainHttp): string | null {
  const wrong = origins.some(
    (origin) => addressProblem(origin, plainHttp) !== null || new URL(origin).origin !== origin,
  );
  return wrong ? "Must be origins without a path, such as https://shop.example.com." : null;
}
