/** Page of a mandate: what was signed and how, what has changed since, what is collected under it. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { ENDED_BY } from "../../mandates/mandate.ts";
import type { MandateDetailRow, ShownAmendment } from "../../mandates/store.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { mandateExpiry } from "../../sepa/windows.ts";
import { csrfField } from "../csrf.ts";
import { callout, dialog, empty, facts, heading, panel, toast } from "../design/blocks.ts";
import { formActs, input, select } from "../design/fields.ts";
import { addressWith } from "../design/filters.ts";
import { accountEnd, reason, copyableReference, stateBadge, time } from "../design/values.ts";
import { filled } from "../../payment-page/render/wording.ts";
import type { Words } from "../words.ts";
import { CUSTOMERS_PATH } from "./customers.ts";
import { MANDATES_PATH } from "./mandates.ts";
import { COLUMNS_OF_CUSTOMER } from "./payment-columns.ts";
import { paymentsTable, PAYMENTS_PATH } from "./payments.ts";
import { SUBSCRIPTIONS_PATH } from "./subscriptions.ts";

/** The action of a dialog. */
export interface MandateAct {
  /** Drawn with the form: if it is sent twice, it is done once. */
  readonly id: string;
  readonly act: "amend" | "cancel" | "confirm";
  /** What was typed; an account number is never shown again. */
  readonly typed: Readonly<Record<string, string>>;
  /** What is wrong with the form as a whole. */
  readonly problem: string | null;
  /** What is wrong with its fields. */
  readonly faults: Readonly<Record<string, string>>;
}

interface MandatePage {
  readonly words: Words;
  readonly now: Date;
  readonly csrf: string;
  readonly mandate: MandateDetailRow;
  readonly payments: readonly ListedTransaction[];
  readonly mayWrite: boolean;
  /** The open dialog. */
  readonly acting: MandateAct | null;
  /** The action that has just been performed. */
  readonly done: string | null;
}

export function mandatePage(page: MandatePage): Html {
  const { words, now, mandate, payments, mayWrite, acting, done } = page;
  const say = words.say;
  const path = `${MANDATES_PATH}${mandate.id}/`;
  const open = mayWrite && mandate.status === "active";
  return html`${heading(html`<span class="code">${mandate.reference}</span>`, {
      after: stateBadge(words, mandate.status),
      acts: [
        html`<a class="button" href="${path}document/">${say("document")}</a>`,
        html`<a class="button" href="${path}dossier/" download>${say("dossier")}</a>`,
        ...(open
          ? [
              ...(mandate.scheme === "B2B" && mandate.bank_confirmed_on === null
                ? [html`<a class="button" href="${path}?act=confirm">${say("confirmMandate")}</a>`]
                : []),
              html`<a class="button" href="${path}?act=amend">${say("amend")}</a>`,
              html`<a class="button" href="${path}?act=cancel">${say("endMandate")}</a>`,
            ]
          : []),
      ],
      lead: leadOf(words, mandate),
    })}
    <div class="split">
      <div class="stack">
        ${panel(
          say("payments"),
          payments.length === 0
            ? empty(say("noPayments"), say("unusedMandate"))
            : paymentsTable(words, payments, now, COLUMNS_OF_CUSTOMER),
          html`<a href="${addressWith(PAYMENTS_PATH, { mandate_id: mandate.id })}">${say("all")}</a>`,
        )}
        ${mandate.amendments.length > 0 && panel(say("amendments"), amendments(words, mandate.amendments))}
      </div>
      <div class="stack">
        ${factsOf(words, mandate, now)}
        ${mandate.subscriptions.length > 0 && panel(say("subscriptions"), subscriptions(words, mandate))}
      </div>
    </div>
    ${done !== null && toast(done)}
    ${open && acting !== null ? DIALOGS[acting.act](page, path, acting) : NOTHING}`;
}

/** Answers "can it be used?" in one line. */
function leadOf(words: Words, mandate: MandateDetailRow): Html {
  const { status, cancelled_at: ended, cancelled_by: by, status_reason: why } = mandate;
  const until = words.day(mandateExpiry(mandate.last_used_at ?? mandate.accepted_at));
  const what =
    status === "active"
      ? words.say("activeUntil", { day: until })
      : ended === null
        ? (words.texts.states[status] ?? status)
        : words.say("endedOn", { day: words.time(ended) });
  return html`${mandate.holder_name} ·
  ${what}${by !== null && html` · ${words.texts.endedBy[by]}`}${why !== null && html` · ${reason(words, why)}`}`;
}

function factsOf(words: Words, mandate: MandateDetailRow, now: Date): readonly Html[] {
  const say = words.say;
  const { acceptance_mode: accepted, bank_name: bank, bic } = mandate;
  return [
    panel(
      say("facts"),
      facts([
        [
          say("customer"),
          html`<a href="${CUSTOMERS_PATH}${mandate.lead_id}/">${mandate.first_name} ${mandate.last_name}</a>`,
        ],
        [say("holder"), mandate.holder_name],
        [say("bankAccount"), html`${mandate.iban_country} ${accountEnd(mandate.iban_last4)}`],
        [say("bank"), bank ?? bic],
        [say("scheme"), words.texts.schemes[mandate.scheme]],
        [
          say("bankConfirmed"),
          mandate.bank_confirmed_on === null ? null : words.day(mandate.bank_confirmed_on),
        ],
        [say("type"), words.texts.mandateTypes[mandate.type]],
        [say("creditor"), mandate.creditor_name],
        [
          say("creditorIdentifier"),
          mandate.creditor_identifier === null ? null : copyableReference(words, mandate.creditor_identifier),
        ],
        [
          say("lastUsed"),
          mandate.last_used_at === null ? say("never") : time(words, mandate.last_used_at, now),
        ],
        ["ID", copyableReference(words, mandate.id)],
      ]),
    ),
    panel(
      say("signature"),
      facts([
        [say("signed"), time(words, mandate.accepted_at, now)],
        [say("how"), words.texts.acceptedBy[accepted ?? "elsewhere"]],
        [say("textVersion"), mandate.text_version === "merchant" ? say("ownText") : mandate.text_version],
        [say("ipAddress"), mandate.accepted_ip],
        [say("userAgent"), mandate.accepted_user_agent],
        [
          say("noticeDays"),
          mandate.pre_notification_days === null ? null : words.number(mandate.pre_notification_days),
        ],
      ]),
    ),
  ];
}

function amendments(words: Words, list: readonly ShownAmendment[]): Html {
  return html`<ol class="timeline">
    ${list.map(
      (amendment) =>
        html`<li>
          <p>${filled(words.texts.amended[amendment.kind], { before: formerly(words, amendment) })}</p>
          <p class="why">
            ${
              amendment.sent_at === null
                ? words.say("bankNotTold")
                : words.say("bankTold", { time: words.time(new Date(amendment.sent_at)) })
            }
          </p>
          <time datetime="${new Date(amendment.at).toISOString()}"
            >${words.time(new Date(amendment.at))}</time
          >
        </li>`,
    )}
  </ol>`;
}

/** The values that an amendment has replaced. */
function formerly({ say }: Words, amendment: ShownAmendment): string {
  switch (amendment.kind) {
    case "reference":
      return amendment.original_reference ?? "";
    case "holder":
      return amendment.original_holder_name ?? "";
    case "creditor":
      return [amendment.original_creditor_name, amendment.original_creditor_identifier]
        .filter((part) => part !== null)
        .join(", ");
    case "account":
      return amendment.original_iban_last4 === null
        ? say("anotherAccount")
        : `${amendment.original_iban_country} •••• ${amendment.original_iban_last4}`;
  }
}

function subscriptions(words: Words, { subscriptions: list }: MandateDetailRow): Html {
  return html`<ul class="rows">
    ${list.map(
      ({ id, status }) =>
        html`<li>
          <a href="${SUBSCRIPTIONS_PATH}${id}/"
            ><span class="code">${id.slice(-12)}</span><span>${stateBadge(words, status)}</span></a
          >
        </li>`,
    )}
  </ul>`;
}

function amendDialog({ words, csrf, mandate }: MandatePage, path: string, act: MandateAct): Html {
  const say = words.say;
  const { faults, typed } = act;
  return dialog(
    `${say("amend")}: ${mandate.reference}`,
    html`<p>${say("amendWhat")}</p>
      ${act.problem !== null && callout("bad", act.problem)}
      <form method="post" action="${path}amend/">
        ${csrfField(csrf)} <input type="hidden" name="id" value="${act.id}" />
        ${input({
          name: "iban",
          label: say("newIban"),
          maxLength: 64,
          error: faults["iban"],
          hint: say("newIbanHint", { last4: mandate.iban_last4 }),
        })}
        ${input({
          name: "holder_name",
          label: say("holder"),
          value: typed["holder_name"] ?? mandate.holder_name,
          maxLength: 255,
          error: faults["holder_name"],
        })}
        ${input({
          name: "reference",
          label: say("reference"),
          value: typed["reference"] ?? mandate.reference,
          maxLength: 35,
          error: faults["reference"],
        })}
        ${formActs(say("amendNow"), "main", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}

/** The dialog: shows what ends with the mandate, and asks for confirmation. */
function endDialog({ words, csrf, mandate }: MandatePage, path: string, act: MandateAct): Html {
  const say = words.say;
  const ending = mandate.subscriptions.filter(({ status }) => status !== "CANCELLED").length;
  return dialog(
    `${say("endMandate")}: ${mandate.reference}`,
    html`<p>
        ${say("endMandateWhat", { customer: mandate.holder_name })}
        ${ending > 0 && words.count(words.texts.endWithMandate, ending)}
      </p>
      ${act.problem !== null && callout("bad", act.problem)}
      <form method="post" action="${path}cancel/">
        ${csrfField(csrf)} <input type="hidden" name="id" value="${act.id}" />
        ${select(
          { name: "cancelled_by", label: say("whoEnds"), value: act.typed["cancelled_by"] ?? "creditor" },
          ENDED_BY.map((by) => [by, words.texts.endedBy[by]] as const),
        )}
        ${input({
          name: "reason",
          label: say("refundReason"),
          value: act.typed["reason"] ?? "",
          maxLength: 255,
          hint: say("refundReasonHint"),
        })}
        ${formActs(say("endMandate"), "bad", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}

function confirmDialog({ words, csrf, mandate }: MandatePage, path: string, act: MandateAct): Html {
  const say = words.say;
  return dialog(
    `${say("confirmMandate")}: ${mandate.reference}`,
    html`<p>${say("confirmMandateWhat")}</p>
      ${act.problem !== null && callout("bad", act.problem)}
      <form method="post" action="${path}confirm/">
        ${csrfField(csrf)} <input type="hidden" name="id" value="${act.id}" />
        ${formActs(say("confirmMandate"), "main", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}

const DIALOGS = { amend: amendDialog, cancel: endDialog, confirm: confirmDialog } as const;
