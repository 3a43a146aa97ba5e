/** The company's own data, limits and retention: one record, in a form for each. */
import type { Deps } from "../../deps.ts";
import type { Answer } from "../../http/endpoint.ts";
import { html, type Html } from "../../files/html.ts";
import { bodyCheck } from "../../http/validation.ts";
import type { TenantRow } from "../../db/rows.ts";
import { patchRecord } from "../../management/resource-write.ts";
import { findOwnTenant } from "../../tenants/store.ts";
import { tenantKind } from "../../tenants/tenant.ts";
import { seeOther } from "../answer.ts";
import { csrfField } from "../csrf.ts";
import { callout, facts, heading, panel, toast } from "../design/blocks.ts";
import { formActs } from "../design/fields.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyQuery, response } from "../pages/listed.ts";
import { fieldsOf } from "../records/fields.ts";
import { recordFields } from "../records/form.ts";
import { asForm, givenBy } from "../records/given.ts";
import {
  shownFacts,
  personTarget,
  formErrorsOf,
  type RecordCall,
  type FormErrors,
} from "../records/routes.ts";
import { seenField, seenIn } from "../seen.ts";
import { COMPANY_PATH, setupTabs } from "./tabs.ts";

/** Each form with its fields; fields added later appear in the last form. */
const PARTS = {
  companyData: [
    "name",
    "country",
    "address",
    "postal_code",
    "city",
    "creditor_identifier",
    "default_locale",
    "pre_notification_days",
  ],
  limits: [
    "iban_payments_max",
    "lead_payments_max",
    "address_payments_max",
    "invalid_ibans_max",
    "lead_accounts_max",
    "address_accounts_max",
    "device_accounts_max",
    "step_up_refunds_above",
  ],
  messages: ["messages", "message_sender", "message_address", "message_reply_to", "notice_check"],
  retention: ["token_detail_days"],
} as const;

/** Return codes have their own page. */
const FIELDS = fieldsOf(tenantKind.schemas.create, tenantKind.schemas.record).filter(
  ({ name }) => name !== "return_rules",
);
const NAMED: ReadonlySet<string> = new Set(Object.values(PARTS).flat());
type Part = keyof typeof PARTS | "payments";
const ALL_PARTS: readonly Part[] = ["companyData", "limits", "payments", "messages", "retention"];

/** Declares the page. */
export function companyPages(console: ConsoleRouter, deps: Deps): void {
  console.get(COMPANY_PATH, "settings.read", {
    summary: "The company",
    schema: { query: AnyQuery, response },
    handle: (call) => show(deps, call, { done: call.query["done"] === "save" }),
  });

  console.post(COMPANY_PATH, "tenant.write", {
    summary: "Change the company",
    schema: { body: AnyForm, response },
    async handle(call) {
      const { body, person } = call;
      const part = ALL_PARTS.find((one) => one === body["part"]) ?? "companyData";
      const { id } = await findOwnTenant(deps.db, person.tenant);
      try {
        const given = givenBy(fieldsIn(part), body);
        const wrong = bodyCheck(tenantKind.schemas.patch)(given);
        if (wrong !== null) throw wrong;
        await patchRecord(deps, tenantKind, personTarget(call, id), given, seenIn(body));
      } catch (error) {
        return show(deps, call, { ...formErrorsOf(call.words, error), part, typed: body });
      }
      return seeOther(`${COMPANY_PATH}?done=save`);
    },
  });
}

function fieldsIn(part: Part) {
  return part === "payments"
    ? FIELDS.filter(({ name }) => !NAMED.has(name))
    : FIELDS.filter(({ name }) => (PARTS[part] as readonly string[]).includes(name));
}

interface Shown extends FormErrors {
  /** The submitted form. */
  readonly part?: Part;
  readonly typed?: Readonly<Record<string, string>>;
  readonly done?: boolean;
}

async function show(deps: Pick<Deps, "db">, call: RecordCall, shown: Shown): Promise<Answer> {
  const { words, person } = call;
  const { say } = words;
  const row = await findOwnTenant(deps.db, person.tenant);
  const body = html`${heading(say("company"), { lead: row.name })} ${setupTabs(words, person, COMPANY_PATH)}
    <div class="halves">${ALL_PARTS.map((part) => panel(say(part), partBody(call, row, part, shown)))}</div>
    ${shown.done === true && toast(say("saveDone"))}`;
  const right = shown.problem === undefined && shown.faults === undefined;
  return call.page(say("company"), body, { headed: true, status: right ? 200 : 422 });
}

function partBody(call: RecordCall, row: TenantRow, part: Part, shown: Shown): Html {
  const { words, csrf } = call;
  const fields = fieldsIn(part);
  const own = asForm(fields, tenantKind.render(row) as Readonly<Record<string, unknown>>);
  if (!call.may("tenant.write")) return facts(shownFacts(words, fields, own, {}));
  const { typed = own, faults = {}, problem = null } = shown.part === part ? shown : {};
  return html`<form class="in wide" method="post" action="${COMPANY_PATH}">
    ${csrfField(csrf)} <input type="hidden" name="part" value="${part}" />
    ${seenField(row.updated_at)} ${problem !== null && callout("bad", problem)}
    ${part === "limits" && html`<p class="soft">${words.say("limitsWhat")}</p>`}
    ${recordFields(words, { fields, typed, faults, options: {} })} ${formActs(words.say("save"))}
  </form>`;
}
