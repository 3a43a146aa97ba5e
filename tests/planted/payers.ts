/** Bugs that a payer, or the payer's lawyer, meets. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const TEXTS = "tests/mandates/merchant-text.test.ts";
const RENEWAL_DATES = "tests/billing/renewal-dates.test.ts";
const DATES = "tests/hosted-page/dates.test.ts";
const SETTINGS = "tests/hosted-page/settings.test.ts";
const EVENTS = "tests/events.test.ts";
const GATEWAYS = "src/gateways/records/gateway-record.test.ts";
const AGREEMENT = "tests/creditors/agreement.test.ts";
const HELD = "tests/hosted-page/held.test.ts";
const KEPT = "record, receipt, copy, document and account page keep the signed creditor";

export const BY_PAYERS: readonly PlantedBug[] = [
  putBack(
    "a payment that is still at the bank is repeated at a link without a confirmation",
    [["sessions/duplicate-store.ts", '[...OPEN_STATUSES, "pending", "approved"]', '["pending", "approved"]']],
    [
      "tests/payment-links/in-flight.test.ts",
      "while a first payment is submitted, eight more by the same link and customer each need a confirmation",
    ],
  ),
  putBack(
    "a form of a former version of the scheme's text is signed under today's",
    [["payment-page/mandate-text.ts", "[version, ...Object", "[...Object"]],
    [
      "src/payment-page/mandate-text.test.ts",
      "a form that was shown before the scheme's text changed signs nothing",
    ],
  ),
  putBack(
    "a mandate of a former version of the text is shown in today's words",
    [["payment-page/mandate-text.ts", "former?.[language]", "undefined"]],
    [
      "tests/mandates/document.test.ts",
      "a mandate that was signed under a former version of the text is shown with the accepted version",
    ],
  ),
  putBack(
    "a form with a mandate text that was replaced since is signed",
    [
      [
        "payment-page/mandate-text.ts",
        "[version, ...Object.values(texts ?? {}).map(({ id }) => id)]",
        "[version]",
      ],
    ],
    [TEXTS, "a form with a text that was replaced since signs nothing"],
  ),
  putBack(
    "a mandate of the merchant's own text is recorded under the scheme's",
    [
      [
        "payment-page/mandate-text.ts",
        "return own === undefined ? textVersion(",
        'return own === undefined || own.id !== "" ? textVersion(',
      ],
    ],
    [
      TEXTS,
      "the page shows the merchant's text, the mandate has its version, and the document keeps that version when there is a later one",
    ],
  ),
  putBack(
    "a mandate text without a creditor identifier is published",
    [
      [
        "mandates/merchant-text.ts",
        '["creditor", "identifier", "reference", "type"]',
        '["creditor", "reference", "type"]',
      ],
    ],
    [TEXTS, "a text without a place for the creditor, the identifier, the reference or the type is refused"],
  ),
  putBack(
    "a live account without a creditor identifier collects",
    [["mandates/creditor.ts", "return testMode || named !== null", 'return testMode || named !== ""']],
    [GATEWAYS, "a live account without a creditor identifier is refused at setup"],
  ),
  putBack(
    "the form forgets the days of notice of the mandate that it shows",
    [
      [
        "payment-page/debit.ts",
        "notice: creditor.pre_notification_days",
        "notice: 0 * creditor.pre_notification_days",
      ],
    ],
    [DATES, "the day of a debit is the same everywhere"],
  ),
  putBack(
    "the account page names the due date of a renewal, not the day of its debit",
    [
      [
        "payment-page/account/routes.ts",
        "nextDebits: await nextDebits(deps, tenant, ids, now),",
        'nextDebits: new Map(subscriptions.map((one) => [one.id, one.next_billing_date ?? ""])),',
      ],
    ],
    [RENEWAL_DATES, "the day of a renewal, and of its next try, is the same everywhere"],
  ),
  putBack(
    "a message names the day on which the retry is handed over, not that of its debit",
    [
      [
        "messages/letter.ts",
        "return gateway && debitHandedOver(gateway, at, noticeDays).day;",
        "return noticeDays === -1 ? null : at.toISOString().slice(0, 10);",
      ],
    ],
    [RENEWAL_DATES, "the day of a renewal, and of its next try, is the same everywhere"],
  ),
  putBack(
    "a B2B debit is pending as long as a consumer's",
    [
      [
        "gateways/sepa-batch/adapter.ts",
        '=== "B2B" ? lastB2bReturn : lastCoreReturn',
        '=== "B2B" ? lastCoreReturn : lastCoreReturn',
      ],
    ],
    [DATES, "the day of a debit is the same everywhere"],
  ),
  putBack(
    "a customer whose debit was returned is trusted with the next one",
    [["sessions/attempt-store.ts", "and bool_and(p.status <> 'charged_back')", "and bool_and(true)"]],
    [
      EVENTS,
      "the completed event is sent at settlement, or at acceptance for customers with two settled debits and no returned one",
    ],
  ),
  putBack(
    "a page links to an address that runs script",
    [["payment-page/settings.ts", "links: given.links ? linkProblems(given.links, redirect) : null,", ""]],
    [SETTINGS, "links are stored one by one, and only addresses that a page may link to are accepted"],
  ),
  putBack(
    "a mandate's record and document name the creditor of today",
    [
      [
        "mandates/store.ts",
        "m.text_version, m.creditor_name,",
        "m.text_version, (select n.name from tenants n where n.tenant = m.tenant) as creditor_name,",
      ],
    ],
    [AGREEMENT, KEPT],
  ),
  putBack(
    "the receipt's copy of a mandate is named after the scheme that the account has today",
    [["payment-page/render/messages.ts", "row.mandate_scheme ===", "row.creditor.scheme ==="]],
    [AGREEMENT, KEPT],
  ),
  putBack(
    "a debit keeps the account's notice of today instead of the one that its mandate agrees on",
    [
      [
        "gateways/sepa-batch/adapter.ts",
        "agreedDays ?? settings.preNotificationDays",
        "agreedDays === -1 ? 0 : settings.preNotificationDays",
      ],
    ],
    [
      AGREEMENT,
      "no debit is due before the notice that its mandate agrees on, whatever the account says later",
    ],
  ),
  putBack(
    "a box that was ticked is recorded as accepted by paying",
    [["payment-page/submit.ts", "mustAccept({ row }) || typed.accepted", "mustAccept({ row })"]],
    ["tests/hosted-page/form.test.ts", "a box that was ticked is stored as ticked"],
  ),
  putBack(
    "a mandate is signed in English in every language",
    [["payment-page/render/mandate.ts", '${words.say("placeOnline")}', "online"]],
    ["src/payment-page/render/spoken.test.ts", "every word of every state of the page"],
  ),
  putBack(
    "a session sends its customer to a host that is not on the tenant's list",
    [["sessions/terms.ts", "hosts.includes(new URL(url).hostname) ?", "hosts.length > 0 ?"]],
    ["tests/api/purchase.test.ts", "the session's language comes before the browser's"],
  ),
  putBack(
    "the way back opens before the shop has acknowledged the payment",
    [["payment-page/wait-for-shop.ts", "seconds * SECOND_MS", "0 * seconds * SECOND_MS"]],
    [HELD, "the way back opens as soon as the receiver has acknowledged the event"],
    [HELD, "the page waits no longer than ten seconds for a receiver that answers with an error"],
  ),
  putBack(
    "a receiver that answers with errors keeps customers from the shop",
    [["payment-page/wait-for-shop.ts", "seconds * SECOND_MS", "seconds * 60 * SECOND_MS"]],
    [HELD, "the page waits no longer than ten seconds for a receiver that answers with an error"],
  ),
  putBack(
    "a live account that has lost its creditor identifier is paid by the sessions that are open",
    [["sessions/attempt-store.ts", "and ${IS_IDENTIFIED}", "and (true or ${IS_IDENTIFIED})"]],
    [GATEWAYS, "a live account without a creditor identifier is refused at setup"],
  ),
  putBack(
    "a live account without a creditor identifier shows its form",
    [
      [
        "payment-page/render/choose-page.ts",
        "row.creditor.identifier === null",
        'row.creditor.identifier === ""',
      ],
    ],
    [GATEWAYS, "a live account without a creditor identifier is refused at setup"],
  ),
];
