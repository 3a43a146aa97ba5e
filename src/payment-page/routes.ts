/** The payment page of a session: {host_url}/pay/{token}/, its form, the way back from the bank, and its script. */
import { Type } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import { assetAnswer } from "../http/assets.ts";
import {
  type Answer,
  type Call,
  type EndpointSchema,
  type Failure,
  type Router,
  type SessionInPath,
} from "../http/endpoint.ts";
import { must } from "../lib/assert.ts";
import { Refusal } from "../refusals.ts";
import { SCRIPT } from "./assets.ts";
import { documentAnswer } from "../mandates/routes.ts";
import { findMandate } from "../mandates/store.ts";
import { customerAccountRoutes } from "./account/routes.ts";
import { failedPaymentRoutes } from "./failed/routes.ts";
import { linkRoutes } from "./links/routes.ts";
import { mandateTextRoutes } from "./mandate-texts/routes.ts";
import { mandateWordsOf, offeredReference } from "./mandate-text.ts";
import type { Sheet } from "./render/frame.ts";
import { sandboxBankRoutes } from "./sandbox-bank/routes.ts";
import { createPages, type Pages } from "./build-pages.ts";
import { previewRoutes } from "./preview/routes.ts";
import { waitsForShop } from "./wait-for-shop.ts";
import { redirectUrl, storedUrl } from "./redirect.ts";
import { finishVerification } from "./returned.ts";
import type { PageMoment } from "./render/page-of-session.ts";
import { verifiedElsewhereBody } from "./render/messages.ts";
import { shownDebit } from "./debit.ts";
import { deviceOf } from "./device.ts";
import { findPage, withoutDetails } from "./store.ts";
import { detailsOver } from "../sessions/session.ts";
import { recordOpened } from "../sessions/store.ts";
import type { VerifyParts } from "../sessions/verify.ts";
import { submit } from "./submit.ts";
import { troubleIn } from "./trouble.ts";
import { viewOf, type View } from "./render/choose-page.ts";

const PAGE = "/pay/{token}/";
const SCRIPT_PATH = "/pay/assets/pay.js";
const common = { tag: "Payment page", hidden: true } as const;
const Token = Type.Object({ token: Type.String() });
const Query = Type.Object({
  lang: Type.Optional(Type.String()),
  /** Set when the bank sends the customer back. */
  verification_id: Type.Optional(Type.String()),
  /** `bank`: the customer is redirected there at once. */
  to: Type.Optional(Type.String()),
  /** The payment has just ended. */
  done: Type.Optional(Type.String()),
  /** The bank was asked and reported no confirmation. */
  asked: Type.Optional(Type.String()),
});
/** All fields are optional here: missing values are reported next to their field. */
const Form = Type.Object({
  reference: Type.Optional(Type.String()),
  iban: Type.Optional(Type.String()),
  holder: Type.Optional(Type.String()),
  accepted: Type.Optional(Type.String()),
  again: Type.Optional(Type.String()),
  street: Type.Optional(Type.String({ maxLength: 500 })),
  postalCode: Type.Optional(Type.String({ maxLength: 20 })),
  city: Type.Optional(Type.String({ maxLength: 255 })),
});
const response = { 200: Type.Unknown() };

interface Visit {
  readonly session: SessionInPath;
  readonly token: string;
  readonly path: string;
  readonly sheet: Sheet;
  readonly view: View;
}

type Query = { readonly lang?: string };

/** Declares the routes. */
export function hostedPageRoutes(router: Router, deps: Deps): void {
  const pages = createPages(deps);
  const here = { ...common, access: "session_in_path", renderError: troubleOf(pages) } as const;

  router.add("GET", PAGE, {
    ...here,
    summary: "The payment page",
    limit: "page",
    // The customer has come back from the bank, which is asked.
    changes: (query) => query["verification_id"] !== undefined,
    schema: { params: Token, query: Query, response },
    async handle(call) {
      const visit = await visitOf(deps, pages, call);
      const { verification_id: verificationId } = call.query;
      if (verificationId !== undefined && visit.view.kind === "verification") {
        return comeBack(deps, pages, call, visit, verificationId);
      }
      const { sheet, view } = visit;
      const heldBack = await waitsForShop(deps, visit.session.tenant, sheet.row, sheet.now);
      return pages.session(sheet, view, { ...momentOf(deps, visit, call.query), heldBack }, call.headers);
    },
  });

  router.add("POST", PAGE, {
    ...here,
    summary: "The payment page's form",
    limit: "pay",
    body: "form",
    schema: { params: Token, query: Query, body: Form, response },
    async handle(call) {
      const visit = await visitOf(deps, pages, call);
      const { reference = "", iban = "", holder = "", accepted, again } = call.body;
      const { street = "", postalCode = "", city = "" } = call.body;
      const address = { street: street.trim(), postalCode: postalCode.trim(), city: city.trim() };
      const typed = { iban, holder, accepted: accepted !== undefined, again: again !== undefined, address };
      const { row, words, asksAddress } = visit.sheet;
      const device = deviceOf(deps, visit.session.tenant, row.device_accounts_max, call);
      const submitted = await submit(deps, {
        ...visit.session,
        row,
        words,
        asksAddress,
        typed,
        reference,
        clientIp: call.clientIp,
        device,
        userAgent: call.userAgent,
      });
      if (submitted.kind === "faults") {
        const moment = { ...momentOf(deps, visit, {}), typed, faults: submitted.faults };
        return pages.session(visit.sheet, visit.view, moment, call.headers);
      }
      if (submitted.kind === "link_in_use") {
        const view = { kind: "link_in_use" } as const;
        return pages.session(visit.sheet, view, momentOf(deps, visit, {}), call.headers);
      }
      const what = submitted.kind === "to_bank" ? "to=bank" : submitted.paidNow ? "done=1" : "";
      return goTo(visit.path, call.query, what);
    },
  });

  router.add("POST", `${PAGE}verify/`, {
    ...here,
    summary: "Return from the bank's verification",
    limit: "verify",
    body: "form",
    schema: { params: Token, query: Query, response },
    async handle(call) {
      const visit = await visitOf(deps, pages, call);
      if (visit.view.kind !== "verification") return goTo(visit.path, call.query, "");
      return comeBack(deps, pages, call, visit, null);
    },
  });

  router.add("POST", `${PAGE}opened/`, {
    ...here,
    summary: "The payment page was seen",
    limit: "page",
    body: "form",
    schema: { params: Token, response: { 204: Type.Null() } },
    async handle(call) {
      const { tenant, sessionId } = must(call.session, "the session in the path");
      await recordOpened(deps.db, tenant, sessionId, deps.time.now(tenant));
      return { status: 204, body: null };
    },
  });

  router.add("GET", `${PAGE}mandate/`, {
    ...here,
    summary: "The customer's copy of the mandate",
    limit: "page",
    schema: { params: Token, response },
    async handle(call) {
      const { row } = (await visitOf(deps, pages, { ...call, query: {} })).sheet;
      const { tenant } = must(call.session, "the session in the path");
      const signed =
        row.status === "COMPLETED" && row.mandate_id !== null
          ? await findMandate(deps.db, tenant, row.mandate_id)
          : null;
      if (signed === null) throw new Refusal("not_found");
      return documentAnswer(signed, await mandateWordsOf(deps.db)(tenant, null, signed));
    },
  });

  router.add("GET", SCRIPT_PATH, {
    ...common,
    access: "anyone",
    summary: "The payment page's script",
    schema: { response },
    handle: async ({ headers }) => assetAnswer(SCRIPT, headers["accept-encoding"]),
  });

  linkRoutes(router, deps, pages);
  failedPaymentRoutes(router, deps, pages);
  customerAccountRoutes(router, deps, pages);
  sandboxBankRoutes(router, deps, pages);
  previewRoutes(router, deps, pages);
  mandateTextRoutes(router, deps);
}

/**
 * The page of a session.
 * @throws Refusal not_found.
 */
async function visitOf(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log" | "time">,
  pages: Pages,
  call: Pick<Call<EndpointSchema>, "session" | "headers"> & {
    readonly params: { readonly token: string };
    readonly query: Query;
  },
): Promise<Visit> {
  const session = must(call.session, "the session in the path");
  const now = deps.time.now(session.tenant);
  const found = await findPage(deps.db, session.tenant, session.sessionId, now);
  if (found === null) throw new Refusal("not_found");
  const over = detailsOver(found.closed_at, found.token_detail_days, now);
  const row = over ? withoutDetails(found) : found;
  const { token } = call.params;
  const path = pages.pathOf(token);
  const debit = await shownDebit(deps, session.tenant, row, now);
  const { headers } = call;
  const sheet = pages.sheet(row, debit, { now, path, chosen: call.query.lang, headers });
  return { session, token, path, sheet, view: viewOf(row, sheet.now) };
}

function momentOf(
  deps: Pick<Deps, "keys">,
  { session, token, sheet }: Visit,
  query: { readonly done?: string; readonly to?: string; readonly asked?: string },
): PageMoment {
  return {
    sessionToken: token,
    reference: offeredReference(deps.keys, session.tenant, sheet.row),
    justEnded: query.done !== undefined,
    heldBack: false,
    leaving: query.to === "bank",
    notYet: query.asked !== undefined,
    typed: null,
    faults: {},
    preview: false,
  };
}

/**
 * Handles the return from the bank. A verification started by this page is finished here; one started by the merchant's
 * own form is finished by the merchant, who receives its id through the configured redirect.
 */
async function comeBack(
  deps: VerifyParts,
  pages: Pages,
  call: Pick<Call<EndpointSchema>, "headers"> & { readonly query: Query },
  { session, token, path, sheet, view }: Visit,
  verificationId: string | null,
): Promise<Answer> {
  if (view.kind === "verification" && !view.ours) {
    const url = redirectUrl(storedUrl(sheet.row, "success_redirect_url"), {
      session_token: token,
      status: sheet.row.status,
      ...(verificationId === null ? {} : { verification_id: verificationId }),
    });
    return url === null ? pages.body(sheet, verifiedElsewhereBody(sheet), call.headers) : seeOther(url);
  }
  const ended = await finishVerification(deps, { ...session, verificationId });
  return goTo(path, call.query, ended ? "done=1" : "asked=1");
}

/** Redirects to the page by GET, so that a reload repeats nothing. */
function goTo(path: string, { lang }: Query, what: string): Answer {
  const chosen = lang === undefined ? "" : `lang=${encodeURIComponent(lang)}`;
  const search = [chosen, what].filter((part) => part !== "").join("&");
  return seeOther(search === "" ? path : `${path}?${search}`);
}

function seeOther(location: string): Answer {
  return { status: 303, headers: { location }, body: "" };
}

/** Errors that the session's page cannot show; never an error for a payment that may have succeeded. */
function troubleOf(pages: Pages): (failure: Failure) => Promise<Answer> {
  return ({ error, answer, params, headers }) => {
    const { token = "" } = params as { readonly token?: string };
    const backPath = pages.pathOf(token);
    if (answer.status === 404) return pages.trouble(404, "unknown", { headers, backPath: null });
    const retryAfter = answer.headers?.["retry-after"];
    const trouble = troubleIn(error, answer.status);
    if (trouble === "tooFast") {
      // The browser reloads to see the payment's state.
      const more = { "retry-after": retryAfter ?? "1", refresh: `${retryAfter ?? "1"}; url=${backPath}` };
      return pages.trouble(answer.status, trouble, { headers, backPath, more });
    }
    const more = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    return pages.trouble(answer.status, trouble, { headers, backPath, more });
  };
}
