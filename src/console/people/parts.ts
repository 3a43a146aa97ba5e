/** Shared by the pages about people: their dependencies, small pieces of HTML, and safe redirects. */
import type { Deps } from "../../deps.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Counters } from "../../http/rate-limit.ts";
import type { Installation } from "../../operator/installation.ts";
import type { SignedIn } from "../../people/person.ts";
import type { Visit } from "../../people/sign-in.ts";
import type { Challenge } from "../../people/passkeys.ts";
import { FieldErrors } from "../../refusals.ts";
import type { MovableClock } from "../../tenants/clock/move.ts";
import type { Webhooks } from "../../webhooks/delivery/dispatch.ts";
import type { Requester } from "../../webhooks/delivery/send.ts";
import { csrfField } from "../csrf.ts";
import { callout } from "../design/blocks.ts";
import { formActs } from "../design/fields.ts";
import { faultWords } from "../refused.ts";
import type { Words } from "../words.ts";

export type Parts = Deps & {
  readonly counters: Counters;
  /** Calls identity providers. */
  readonly identity: Requester;
  readonly webhooks: Pick<Webhooks, "sender" | "wake">;
  /** Null in production, where clocks cannot be moved. */
  readonly clockwork: MovableClock | null;
  readonly installation: Installation;
};

/** The request behind a sign-in or a change. */
export function visitOf(call: {
  readonly clientIp: string;
  readonly requestId: string;
  readonly userAgent: string | null;
}): Visit {
  const { clientIp, requestId, userAgent } = call;
  return { clientIp, requestId, userAgent };
}

/** A console page to continue with; anything else is ignored. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/console\/(?!sign-in|step-up|second-factor)[\w\-./?=&%+~:,]*$/.test(next)
    ? next
    : "/console/";
}

/** A form with its token. */
export function form(action: string, csrf: string, body: Html): Html {
  return html`<form method="post" action="${action}">${csrfField(csrf)}${body}</form>`;
}

/** The error at the head of a page. */
export function trouble(text: string | null | undefined): Html {
  return text === null || text === undefined ? NOTHING : callout("bad", text);
}

/** A page of one form: in a panel if the page has its frame. */
export function card({ session }: SignedIn, body: Html): Html {
  return session.stage === "full"
    ? html`<section class="panel narrow"><div class="in">${body}</div></section>`
    : body;
}

/** A sign-out for people who have not completed the sign-in; others find it in the menu. */
export function signOutForm(words: Words, csrf: string): Html {
  return form("/console/sign-out/", csrf, formActs(words.say("signOut"), ""));
}

/**
 * A form that the script fills with the browser's answer; it is hidden without the script, as its button would do
 * nothing.
 */
export function passkeyForm(
  action: string,
  csrf: string,
  asked: Challenge,
  given: { readonly label: string; readonly makes?: boolean; readonly main?: boolean; readonly more?: Html },
): Html {
  const { label, makes = false, main = false, more = NOTHING } = given;
  return html`<form
    method="post"
    action="${action}"
    class="passkey"
    data-options="${asked.options}"
    data-makes="${makes ? "yes" : "no"}"
    hidden
  >
    ${csrfField(csrf)}<input type="hidden" name="ticket" value="${asked.ticket}" /><input
      type="hidden"
      name="answer"
      value=""
    />${more} ${formActs(label, main ? "main" : "")}
  </form>`;
}

/** The first message of each field, in the person's language. @throws any other error. */
export function faultsIn(words: Words, error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof FieldErrors)) throw error;
  return Object.fromEntries(
    Object.entries(error.fields).map(([name, messages]) => [
      name,
      Array.isArray(messages) ? faultWords(words, String(messages[0])) : "",
    ]),
  );
}
