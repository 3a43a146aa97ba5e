/**
 * Routes below /console/: checks who is signed in, what they may do, and whether a form is ours, before a page's
 * handler runs.
 */
import type { Deps } from "../deps.ts";
import type { Answer, Call, Endpoint, EndpointSchema, Failure, Method, Router } from "../http/endpoint.ts";
import { html } from "../files/html.ts";
import type { Cents } from "../lib/money.ts";
import { Refusal } from "../refusals.ts";
import { may, stepUpOf, type Action, type Role } from "../people/access.ts";
import { callerOf, personMay, type SignedIn } from "../people/person.ts";
import { sessionOfCookie } from "../people/sessions.ts";
import { consolePage, seeOther } from "./answer.ts";
import { cookie, readCookie } from "./cookies.ts";
import { csrfToken, isOwnForm } from "./csrf.ts";
import { frame } from "./frame.ts";
import { pageAt } from "./page-at.ts";
import { refusedWords } from "./refused.ts";
import { languageAsked, wordsFor, type Words } from "./words.ts";

/** The header of requests from web/console/live.ts. */
const LOOKS_FOR_NEWS = "x-live";

export const SIGN_IN = "/console/sign-in/";

/**
 * Who may open a page: people whose role has the action; everyone signed in; everyone who has proved the first factor;
 * anyone.
 */
type Admission = Action | "signed_in" | "unfinished" | "anyone";

export interface ConsoleCall<S extends EndpointSchema> extends Call<S> {
  readonly person: SignedIn;
  /** Texts in the person's language; before the sign-in in the browser's. */
  readonly words: Words;
  /** For `csrfField`, which each form contains. */
  readonly csrf: string;
  /** The cookie to which forms and passkey challenges are bound: the session's, before a sign-in the browser's. */
  readonly browserTie: string;
  /** Whether to show a button. */
  may(action: Action): boolean;
  /**
   * Requires the second factor again unless it was proved a moment ago.
   * @throws StepUpNeeded, which redirects to it.
   */
  requireRecent(): void;
  /**
   * The same for a refund above the company's limit.
   * @throws StepUpNeeded.
   */
  requireRecentAbove(amount: Cents): void;
  /** The page as a response. */
  page(title: string, body: ReturnType<typeof html>, more?: PageMore): Promise<Answer>;
}

interface PageMore {
  readonly status?: number;
  readonly scripts?: readonly string[];
  readonly cookies?: readonly string[];
  /** Whether the body has its own heading. */
  readonly headed?: boolean;
  /** The search text. */
  readonly searched?: string;
}

/** A call that needs no sign-in. */
export type VisitorCall<S extends EndpointSchema> = Omit<
  ConsoleCall<S>,
  "person" | "requireRecent" | "requireRecentAbove"
> & {
  readonly person: SignedIn | null;
};

interface PageRoute<S extends EndpointSchema> extends Pick<Endpoint<S>, "summary" | "limit" | "bodyLimit"> {
  readonly schema: S;
}

export interface ConsoleRouter {
  /** A page. Its handler changes nothing. */
  get<const S extends EndpointSchema>(
    path: string,
    admission: Exclude<Admission, "anyone">,
    route: PageRoute<S> & { handle(call: ConsoleCall<S>): Promise<Answer> },
  ): void;
  /** A form. The second factor is required again where the table of people/access.ts says always. */
  post<const S extends EndpointSchema>(
    path: string,
    admission: Exclude<Admission, "anyone">,
    route: PageRoute<S> & { handle(call: ConsoleCall<S>): Promise<Answer> },
  ): void;
  /** A page or form before the sign-in. */
  open<const S extends EndpointSchema>(
    method: "GET" | "POST",
    path: string,
    route: PageRoute<S> & { handle(call: VisitorCall<S>): Promise<Answer> },
  ): void;
}

/** The action requires a second factor proved within the last minutes. */
class StepUpNeeded extends Error {}

export function consoleRouter(
  router: Router,
  deps: Omit<Parameters<typeof guarded>[0], "pages">,
): ConsoleRouter {
  const pages: string[] = [];
  const add = <S extends EndpointSchema>(
    method: Method,
    path: string,
    admission: Admission,
    route: PageRoute<S> & { handle(call: ConsoleCall<S>): Promise<Answer> },
  ): void => {
    if (method === "GET") pages.push(path);
    router.add(method, path, {
      summary: route.summary,
      tag: "Console",
      hidden: true,
      html: true,
      access: "anyone",
      // Also to finish a sign-in and to sign out: nothing is sent.
      whenHeld: admission === "anyone" || admission === "unfinished",
      limit: route.limit ?? "console",
      ...(method === "POST" ? { body: "form" as const } : {}),
      ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
      schema: route.schema,
      renderError: (failure) => troublePage(deps, failure),
      handle: (call) => guarded({ ...deps, pages }, method, admission, call, (known) => route.handle(known)),
    });
  };
  return {
    get: (path, admission, route) => add("GET", path, admission, route),
    post: (path, admission, route) => add("POST", path, admission, route),
    open: (method, path, route) =>
      add(
        method,
        path,
        "anyone",
        route as PageRoute<EndpointSchema> & { handle(call: never): Promise<Answer> },
      ),
  };
}

async function guarded<S extends EndpointSchema>(
  deps: Pick<Deps, "clock" | "db" | "environment" | "ids" | "keys" | "log" | "publicUrl" | "signIn"> & {
    readonly pages: readonly string[];
  },
  method: Method,
  admission: Admission,
  call: Call<S>,
  handle: (call: ConsoleCall<S>) => Promise<Answer>,
): Promise<Answer> {
  const session = readCookie(deps, call.headers, "session");
  // A page that refreshes itself must not keep an absent person signed in.
  const isUse = call.headers[LOOKS_FOR_NEWS] === undefined;
  const person = await sessionOfCookie(deps, session, isUse);
  // A person's forms are bound to the session, others to their browser.
  const held = person === null ? readCookie(deps, call.headers, "visitor") : session;
  const visitor = { ...call, ...helpers(deps, call, { method, person, held }) };
  if (method === "POST" && !isOwnForm(deps, call.headers, { cookieValue: held, token: tokenIn(call.body) }))
    return notOurForm(visitor, from(deps, call), person === null && admission !== "anyone");
  if (admission === "anyone") return handle({ ...visitor, person } as unknown as ConsoleCall<S>);
  const elsewhere = whereInstead(admission, person, method === "GET" ? call.url : from(deps, call));
  if (elsewhere !== null || person === null) return seeOther(elsewhere ?? SIGN_IN);
  const requireRecent = () => {
    if (!isRecent(deps, person)) throw new StepUpNeeded();
  };
  const requireRecentAbove = (amount: Cents) => {
    if (person.company === null || amount > person.company.stepUpRefundsAbove) requireRecent();
  };
  try {
    if (isAction(admission) && !personMay(person, admission)) {
      if (isOfOperators(admission) !== (person.role === "operator")) throw new Refusal("not_found");
      return await forbidden(visitor, person.role, admission);
    }
    if (method === "POST" && isAction(admission) && stepUpOf(admission) === "always") requireRecent();
    return await handle({ ...visitor, person, caller: callerOf(person), requireRecent, requireRecentAbove });
  } catch (error) {
    if (error instanceof StepUpNeeded)
      return seeOther(`/console/step-up/?next=${encodeURIComponent(from(deps, call))}`);
    if (!(error instanceof Refusal) || error.status >= 500) throw error;
    const isMissing = error.kind === "not_found";
    return troubled(
      visitor,
      error.status,
      isMissing ? visitor.words.say("nothingHere") : refusedWords(visitor.words, error),
    );
  }
}

/** Whether the person has proved a second factor, or the only one they have, within the last minutes. */
function isRecent({ clock, signIn }: Pick<Deps, "clock" | "signIn">, { session }: SignedIn): boolean {
  return clock.now().getTime() - session.provedAt.getTime() <= signIn.stepUpMs;
}

function helpers<S extends EndpointSchema>(
  deps: Pick<Deps, "environment" | "ids" | "keys" | "publicUrl">,
  call: Call<S>,
  { method, person, held }: { method: Method; person: SignedIn | null; held: string | null },
): Pick<ConsoleCall<S>, "words" | "csrf" | "browserTie" | "may" | "page"> {
  const browserTie = held ?? deps.ids.secret(32).toString("base64url");
  // Browsers send no cookie with another site's form, so its response replaces none.
  const given = held === null && method === "GET" ? [cookie(deps, "visitor", browserTie)] : [];
  const csrf = csrfToken(deps, browserTie);
  const words = wordsOf(person, call.headers);
  const around = { csrf, path: call.url.split("?")[0] ?? "", testMode: deps.environment === "staging" };
  return {
    words,
    csrf,
    browserTie,
    may: (action) => person !== null && personMay(person, action),
    page: (title, body, { status = 200, cookies = [], ...more } = {}) =>
      consolePage(deps, status, frame({ title, body, words, person, ...around, ...more }), {
        headers: call.headers,
        cookies: [...given, ...cookies],
      }),
  };
}

/**
 * The sign-in page to which a call is redirected; null if its session suffices.
 * @param page to continue with: the requested one, or the one whose form was sent.
 */
function whereInstead(
  admission: Exclude<Admission, "anyone">,
  person: SignedIn | null,
  page: string,
): string | null {
  const next = `?next=${encodeURIComponent(page)}`;
  if (person === null) return `${SIGN_IN}${next}`;
  if (admission === "unfinished") return null;
  if (person.session.stage === "second_factor") return `/console/second-factor/${next}`;
  return person.session.stage === "set_up" ? "/console/account/" : null;
}

function isAction(admission: Admission): admission is Action {
  return admission.includes(".");
}

/** Tenants' people do not see that there are pages for operators; operators see none of a tenant's. */
function isOfOperators(action: Action): boolean {
  return may("operator", action);
}

function tokenIn(body: unknown): string | undefined {
  const { csrf } = (body ?? {}) as { readonly csrf?: unknown };
  return typeof csrf === "string" ? csrf : undefined;
}

function wordsOf(person: SignedIn | null, headers: Failure["headers"]): Words {
  return wordsFor(person?.locale ?? languageAsked(headers["accept-language"]), person?.timeZone ?? "UTC");
}

type Shower = Pick<ConsoleCall<EndpointSchema>, "words" | "page">;

function forbidden(shower: Shower, role: Role, action: Action): Promise<Answer> {
  const { say, texts } = shower.words;
  const who = `${texts.role[role]} (${texts.roleMay[role]})`;
  return troubled(shower, 403, say("roleForbids", { role: who, what: texts.actions[action] }));
}

/**
 * The response to a form that is too old, of a signed-out person, or of another site.
 * @param page that contains the form.
 */
function notOurForm(shower: Shower, page: string, isSignedOut: boolean): Promise<Answer> {
  const { say } = shower.words;
  return isSignedOut
    ? troubled(
        shower,
        403,
        say("signedOut"),
        [`${SIGN_IN}?next=${encodeURIComponent(page)}`, say("signIn")],
        say("didNotWork"),
      )
    : troubled(shower, 403, say("formTooOld"), [page, say("openAgain")]);
}

function troubled(
  { words, page }: Shower,
  status: number,
  text: string,
  [href, label]: readonly [href: string, label: string] = ["/console/", words.say("toStart")],
  title = words.say(status === 404 ? "notFound" : status === 403 ? "notAllowed" : "didNotWork"),
): Promise<Answer> {
  const body = html`<p>${text}</p>
    <p><a class="button" href="${href}">${label}</a></p>`;
  return page(title, body, { status });
}

/** Errors that no page handles itself: limits, unknown fields, internal errors. */
function troublePage(deps: Pick<Deps, "publicUrl">, { answer, headers }: Failure): Promise<Answer> {
  const words = wordsOf(null, headers);
  const { code, detail } = (answer.body ?? {}) as {
    readonly code?: Refusal["kind"];
    readonly detail?: string;
  };
  const said =
    code === undefined || detail === undefined
      ? words.say("formUnread")
      : refusedWords(words, { kind: code, detail });
  const page: Shower["page"] = (title, body, { status = 200 } = {}) =>
    consolePage(deps, status, frame({ title, body, words }), { headers, more: answer.headers ?? {} });
  return troubled({ words, page }, answer.status, answer.status === 404 ? words.say("nothingHere") : said);
}

/** The page that contains a form; browsers send it because our pages ask them to. */
function from(
  { publicUrl, pages }: Pick<Deps, "publicUrl"> & { readonly pages: readonly string[] },
  { headers }: { readonly headers: Failure["headers"] },
): string {
  const { referer } = headers;
  if (typeof referer !== "string" || !URL.canParse(referer)) return "/console/";
  const { pathname, search, host } = new URL(referer);
  const own = host === headers["host"] || host === new URL(publicUrl).host;
  return own ? pageAt(pages, pathname, search) : "/console/";
}
