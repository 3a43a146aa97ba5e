/** What the pages about people share: their parts, small pieces of HTML, where a form leads. */
import type { Deps } from "../../deps.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Counters } from "../../http/rate-limit.ts";
import type { Visit } from "../../people/sign-in.ts";
import type { Asked } from "../../people/passkeys.ts";
import { FieldErrors } from "../../refusals.ts";
import type { Asker } from "../../webhooks/delivery/send.ts";
import { csrfField } from "../csrf.ts";

export type Parts = Deps & {
  readonly counters: Counters;
  /** Calls identity providers. */
  readonly identity: Asker;
};

/** The request behind a sign-in or a change. */
export function visitOf(call: {
  readonly clientIp: string;
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): Visit {
  const { clientIp, requestId, headers } = call;
  const agent = headers["user-agent"];
  return { clientIp, requestId, userAgent: typeof agent === "string" ? agent : null };
}

/** A page of the console to go on with; nothing else is followed. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/console\/(?!sign-in|step-up|second-factor)[\w\-./?=&%+~:,]*$/.test(next)
    ? next
    : "/console/";
}

/** A form with its token. */
export function form(action: string, csrf: string, body: Html): Html {
  return html`<form method="post" action="${action}">${csrfField(csrf)}${body}</form>`;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly value?: string;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly fault?: string | undefined;
}

/** A labelled input, with what is wrong with it. */
export function field({
  name,
  label,
  type = "text",
  value = "",
  autocomplete = "off",
  required = true,
  fault,
}: Field): Html {
  const described =
    fault === undefined ? NOTHING : html` aria-invalid="true" aria-describedby="${name}-fault"`;
  return html`<p>
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${required && html`required`}
      ${described}
    />
    ${fault !== undefined && html`<strong id="${name}-fault" role="alert">${fault}</strong>`}
  </p>`;
}

export function button(label: string): Html {
  return html`<p><button>${label}</button></p>`;
}

export function alert(text: string | null): Html {
  return text === null ? NOTHING : html`<p role="alert"><strong>${text}</strong></p>`;
}

/** A form that the script fills with the browser's answer; without script its button does nothing, so it is hidden. */
export function passkeyForm(
  action: string,
  csrf: string,
  asked: Asked,
  given: { readonly label: string; readonly makes?: boolean; readonly more?: Html },
): Html {
  const { label, makes = false, more = NOTHING } = given;
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
    />${more}
    <p><button>${label}</button></p>
  </form>`;
}

/** The first message of each field. @throws any other error. */
export function faultsIn(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof FieldErrors)) throw error;
  return Object.fromEntries(
    Object.entries(error.fields).map(([name, messages]) => [
      name,
      Array.isArray(messages) ? String(messages[0]) : "",
    ]),
  );
}
