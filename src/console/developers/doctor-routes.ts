/** The signature doctor: which part of a webhook request is wrong. */
import type { Answer } from "../../http/endpoint.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import { Type } from "../../lib/schema.ts";
import { examineRequest } from "../../webhooks/management/examine.ts";
import { csrfField } from "../csrf.ts";
import { callout, empty, heading, panel } from "../design/blocks.ts";
import { formActs, select, textarea } from "../design/fields.ts";
import type { ConsoleRouter } from "../guard.ts";
import { response } from "../pages/listed.ts";
import type { Parts } from "../people/parts.ts";
import type { RecordCall } from "../records/routes.ts";
import { profileNames } from "./delivery-routes.ts";
import { developerTabs, DOCTOR_PATH } from "./tabs.ts";

const Pasted = Type.Object({
  profile: Type.Optional(Type.String({ maxLength: 100 })),
  headers: Type.Optional(Type.String({ maxLength: 20_000 })),
  body: Type.Optional(Type.String({ maxLength: 100_000 })),
});

interface Examined {
  readonly profile: string;
  readonly headers: string;
  readonly body: string;
  readonly findings: Awaited<ReturnType<typeof examineRequest>>;
}

/** Declares the page. The pasted text may contain customers' data: it is in no address and is not stored. */
export function doctorPages(console: ConsoleRouter, parts: Parts): void {
  console.get(DOCTOR_PATH, "developers.read", {
    summary: "The signature doctor",
    schema: { response },
    handle: (call) => show(parts, call, null),
  });

  console.post(DOCTOR_PATH, "developers.read", {
    summary: "Examine a webhook request",
    schema: { body: Pasted, response },
    async handle(call) {
      const { profile = "", headers = "", body = "" } = call.body;
      if (profile === "") return show(parts, call, null);
      // Forms send each line end as two characters.
      const pasted = { headers, body: body.replaceAll("\r\n", "\n") };
      const findings = await examineRequest(parts, call.person.tenant, profile, pasted);
      return show(parts, call, { profile, ...pasted, findings });
    },
  });
}

async function show(parts: Parts, call: RecordCall, examined: Examined | null): Promise<Answer> {
  const { words, csrf, person } = call;
  const { say } = words;
  const profiles = await profileNames(parts, person.tenant);
  if (profiles.length === 0) return nothingToExamine(call);
  const { profile = profiles[0]?.[0] ?? "", headers = "", body = "" } = examined ?? {};
  const form = html`<form class="in wide" method="post" action="${DOCTOR_PATH}">
    ${csrfField(csrf)}
    <p class="soft">${say("doctorWhat")}</p>
    ${select({ name: "profile", label: say("receiver"), value: profile }, profiles)}
    ${textarea({ name: "headers", label: say("doctorHeaders"), hint: say("doctorHeadersHint"), value: headers, code: true })}
    ${textarea({ name: "body", label: say("doctorBody"), hint: say("doctorBodyHint"), value: body, code: true })}
    ${formActs(say("doctorExamine"))}
  </form>`;
  const page = html`${heading(say("doctor"))} ${developerTabs(words, person, DOCTOR_PATH)}
    <div class="split">
      <section class="panel">${form}</section>
      <div class="stack">
        ${examined === null ? NOTHING : findingsPanel(say("doctorSays"), examined.findings)}
      </div>
    </div>`;
  return call.page(say("doctor"), page, { headed: true });
}

function nothingToExamine({ words, person, page }: RecordCall): Promise<Answer> {
  const { say } = words;
  const body = html`${heading(say("doctor"))} ${developerTabs(words, person, DOCTOR_PATH)}
    <section class="panel">${empty(say("noWebhooks"), say("doctorNoProfile"))}</section>`;
  return page(say("doctor"), body, { headed: true });
}

/** The findings are in English, like the documentation of signatures. */
function findingsPanel(title: string, findings: Examined["findings"]): Html {
  return panel(
    title,
    html`<div class="in" lang="en">
      ${findings.map(({ header, right, words }) => callout(right ? "good" : "attention", html`<strong>${header}</strong><br />${words}`))}
    </div>`,
  );
}
