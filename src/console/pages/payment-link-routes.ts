/** Payment links: their terms, the address with its QR code, activation, and the payments made through them. */
import type { Deps } from "../../deps.ts";
import type { PaymentLinkRow } from "../../db/rows.ts";
import { html, type Html } from "../../files/html.ts";
import { qrCode } from "../../files/qr-code.ts";
import { gatewayKind } from "../../gateways/records/gateway-record.ts";
import { attachmentHeader } from "../../http/endpoint.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { patchRecord, readRecord } from "../../management/resource-write.ts";
import { hostedPageKind } from "../../payment-page/settings.ts";
import { transactionFilters } from "../../reports/transactions/routes.ts";
import { listTransactions, type ListedTransaction } from "../../reports/transactions/store.ts";
import { campaignKind } from "../../sessions/campaigns/campaign.ts";
import { LINK_CURRENCY, paymentLinkKind } from "../../sessions/links/link.ts";
import { countPaid } from "../../sessions/links/store.ts";
import { linkUrl } from "../../sessions/links/token.ts";
import { webhookProfileKind } from "../../webhooks/profiles/profile.ts";
import { seeOther } from "../answer.ts";
import { csrfField } from "../csrf.ts";
import { panel } from "../design/blocks.ts";
import { addressWith } from "../design/filters.ts";
import { activeBadge, badge, copyableReference, money, orNone } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { choose } from "../records/choose.ts";
import { personTarget, recordSection } from "../records/routes.ts";
import type { Words } from "../words.ts";
import { AnyForm, AnyIdInPath, response } from "./listed.ts";
import { LINKS_PATH, PAYMENTS_PATH, paymentsTable, paymentTabs } from "./payments.ts";

/** The number of payments on the page; the list of payments shows all. */
const PAYMENTS_MAX = 10;

/** Declares the pages. */
export function paymentLinkPages(console: ConsoleRouter, deps: Deps): void {
  recordSection(console, deps, {
    kind: paymentLinkKind,
    path: LINKS_PATH,
    read: "payments.read",
    write: "payments.create",
    async look({ words, person: { tenant } }, rows) {
      const paid = await countPaid(
        deps.db,
        tenant,
        rows.map(({ id }) => id),
      );
      const now = deps.time.now(tenant);
      return {
        title: words.say("paymentLinks"),
        newOne: words.say("newPaymentLink"),
        none: [words.say("noPaymentLinks"), words.say("noPaymentLinksHint")],
        tabs: paymentTabs(words, LINKS_PATH),
        columns: [
          { title: words.say("amount"), as: "number" },
          { title: words.say("payments"), as: "short spare" },
        ],
        cells: (row) => [amountOf(words, row), usesOf(words, row, paid.get(row.id))],
        state: (row) => stateOf(words, row, paid.get(row.id), now),
      };
    },
    options: ({ person: { tenant } }, values) =>
      choose(
        deps,
        tenant,
        {
          campaign_id: campaignKind,
          gateway_id: gatewayKind,
          hosted_page_id: hostedPageKind,
          webhook_profile_id: webhookProfileKind,
        },
        values,
      ),
    async extras(call, row) {
      const { words, csrf, person } = call;
      const filters = transactionFilters({ payment_link_id: row.id });
      const window = { ...NEWEST_FIRST, limit: PAYMENTS_MAX };
      const paid = await listTransactions(deps.reports, person.tenant, filters, window);
      return {
        main: [
          addressPanel(words, row, linkUrl(deps, row)),
          paymentsPanel(words, row, paid, deps.time.now(person.tenant)),
        ],
        acts: call.may("payments.create") ? [switchForm(words, csrf, row)] : [],
      };
    },
  });

  console.get(`${LINKS_PATH}{id}/qr-code.svg`, "payments.read", {
    summary: "Download a payment link's QR code",
    schema: { params: AnyIdInPath, response },
    async handle({ person, params }) {
      const row = await readRecord(deps, paymentLinkKind, person.tenant, params.id);
      const headers = {
        "content-type": "image/svg+xml",
        ...attachmentHeader(`qr-code-${row.id}.svg`),
      };
      return { status: 200, headers, body: qrCode(linkUrl(deps, row)).text };
    },
  });

  console.post(`${LINKS_PATH}{id}/switch/`, "payments.create", {
    summary: "Switch a payment link on or off",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { id } = await readRecord(deps, paymentLinkKind, call.person.tenant, call.params.id);
      await patchRecord(deps, paymentLinkKind, personTarget(call, id), {
        active: call.body["active"] === "1",
      });
      return seeOther(`${LINKS_PATH}${id}/?done=save`);
    },
  });
}

function amountOf(words: Words, { amount, amount_min: min, amount_max: max }: PaymentLinkRow): Html | string {
  if (amount !== null) return money(words, amount, LINK_CURRENCY);
  if (min === null) return words.say("priceOfOffer");
  const from = words.money(min, LINK_CURRENCY);
  if (max === null) return html`<span class="money">${words.say("atLeast", { amount: from })}</span>`;
  return html`<span class="money">${from} – ${words.money(max, LINK_CURRENCY)}</span>`;
}

function usesOf(words: Words, { uses_max: max }: PaymentLinkRow, paid = 0): Html | string {
  if (max === null) return orNone(null);
  return words.say("usesOf", { paid: words.number(paid), max: words.number(max) });
}

function stateOf(words: Words, row: PaymentLinkRow, paid = 0, now: Date): Html {
  const { active, ends_at: endsAt, uses_max: max } = row;
  if (max !== null && paid >= max)
    return max === 1
      ? badge("good", words.texts.states["paid"] ?? "")
      : badge("waiting", words.say("linkUsedUp"));
  if (endsAt !== null && endsAt <= now) return badge("waiting", words.say("linkEnded"));
  return activeBadge(words, active);
}

function addressPanel(words: Words, { id }: PaymentLinkRow, url: string): Html {
  return panel(
    words.say("linkAddress"),
    html`<div class="in captioned">
      ${qrCode(url)}
      <div>
        <p>${copyableReference(words, url)}</p>
        <div class="form-acts">
          <a class="button" href="${url}" target="_blank" rel="noopener">${words.say("openPreview")}</a>
          <a class="button" href="${LINKS_PATH}${id}/qr-code.svg" download>${words.say("downloadQrCode")}</a>
        </div>
      </div>
    </div>`,
  );
}

function paymentsPanel(
  words: Words,
  { id }: PaymentLinkRow,
  paid: readonly ListedTransaction[],
  now: Date,
): Html {
  if (paid.length === 0)
    return panel(words.say("payments"), html`<p class="in soft">${words.say("noPayments")}</p>`);
  const all = addressWith(PAYMENTS_PATH, { payment_link_id: id });
  return panel(
    words.say("payments"),
    paymentsTable(words, paid, now),
    html`<a href="${all}">${words.say("all")}</a>`,
  );
}

function switchForm({ say }: Words, csrf: string, { id, active }: PaymentLinkRow): Html {
  return html`<form method="post" action="${LINKS_PATH}${id}/switch/">
    ${csrfField(csrf)}
    <input type="hidden" name="active" value="${active ? "0" : "1"}" />
    <button>${say(active ? "switchOff" : "switchOn")}</button>
  </form>`;
}
