/** Creates a message to a customer from its fact: language, text, attachment. */
import type { Deps } from "../deps.ts";
import { openedGateway } from "../gateways/calling.ts";
import { debitOf } from "../gateways/debits.ts";
import { mandateCopy } from "../mandates/dossier/paper.ts";
import { mandateSheet, type WordsOf } from "../mandates/sheet.ts";
import { findMandate, type MandateDetailRow } from "../mandates/store.ts";
import { must } from "../lib/assert.ts";
import { DAY_MS, later } from "../lib/clock.ts";
import { accountUrl } from "../payment-page/account/link.ts";
import { mandateWordsOf } from "../payment-page/mandate-text.ts";
import { languageOf } from "../payment-page/language.ts";
import { wordsIn } from "../payment-page/render/wording.ts";
import type { IsoDate } from "../lib/dates.ts";
import { debitHandedOver } from "../subscriptions/debit-day.ts";
import { livemode } from "../payments/transaction.ts";
import { failedPaymentUrl } from "../subscriptions/failed/token.ts";
import { messageContent } from "./content.ts";
import { laidOut } from "./layout.ts";
import { mailableName } from "./names.ts";
import { sealRecipient } from "./recipient.ts";
import type { Letter } from "./smtp.ts";
import type { MessageEvidence, MessageWithSubject } from "./store.ts";
import { messageTextVersion } from "./texts/all.ts";

export type LetterParts = Pick<
  Deps,
  "adapters" | "clock" | "db" | "environment" | "keys" | "log" | "publicUrl"
>;

/** How long links in mails work: mail is read days later, and forwarded. */
const ACCOUNT_LINK_MS = 7 * DAY_MS;

/** The recipient and the text version, which are kept as evidence. */
export function evidenceOfMessage(
  deps: Pick<Deps, "keys">,
  tenant: number,
  row: MessageWithSubject,
): MessageEvidence {
  const language = languageOfMessage(row);
  return {
    recipient: sealRecipient(deps, tenant, row.id, row.email),
    language,
    textVersion: messageTextVersion(language),
  };
}

export async function messageLetter(
  deps: LetterParts,
  tenant: number,
  row: MessageWithSubject,
): Promise<Letter> {
  const words = wordsIn(languageOfMessage(row), row.country);
  const debit =
    row.kind === "mandate_copy" && row.transaction_status === "pending"
      ? await debitOf(deps, tenant, row, must(row.merchant_transaction_id, "the payment of a mandate"))
      : null;
  const payUrl =
    row.kind === "payment_failed" && row.may_be_put_right
      ? failedPaymentUrl(deps, { tenant, id: must(row.transaction_id, "the payment that failed") })
      : null;
  const content = messageContent(row, words, {
    debitDay: debit?.day ?? null,
    nextTryDay: nextTryDay(deps, tenant, row),
    payUrl,
    accountUrl: row.kind === "payment_failed" ? accountUrlFor(deps, tenant, row) : null,
  });
  const test = livemode(deps, row) ? "" : "[TEST] ";
  return {
    id: row.id,
    from: { name: row.message_sender ?? row.tenant_name, address: row.message_address },
    replyTo: row.message_reply_to,
    to: row.email,
    subject: test + content.subject,
    ...laidOut(words, content),
    attachments: row.kind === "mandate_copy" ? [await mandateFile(deps, tenant, row)] : [],
  };
}

/**
 * The day of its debit, which may be days after its submission; null while its campaign is stopped, and where the
 * account cannot be opened: no wrong day is named.
 */
function nextTryDay(deps: LetterParts, tenant: number, row: MessageWithSubject): IsoDate | null {
  const { kind, next_attempt_at: at, mandate_notice_days: noticeDays, is_stopped: isStopped } = row;
  if (kind !== "payment_failed" || at === null || isStopped) return null;
  const gateway = openedGateway(deps, tenant, row);
  return gateway && debitHandedOver(gateway, at, noticeDays).day;
}

/** Null if the mandate has ended: its account cannot be changed. */
function accountUrlFor(
  deps: LetterParts,
  tenant: number,
  { mandate_status, lead_id: id }: MessageWithSubject,
) {
  const expiresAt = later(deps.clock.now(), ACCOUNT_LINK_MS);
  return mandate_status === "active" ? accountUrl(deps, { tenant, id, expiresAt }) : null;
}

/** The mandate's language; otherwise the customer's, or the merchant's. */
function languageOfMessage(row: MessageWithSubject) {
  return languageOf({
    chosen: row.mandate_language ?? undefined,
    sessionLocale: row.session_locale,
    acceptLanguage: undefined,
    pageLocale: null,
    country: row.country,
    merchantLocale: row.default_locale,
  });
}

async function mandateFile({ db }: Pick<Deps, "db">, tenant: number, row: MessageWithSubject) {
  const wordsOf: WordsOf = mandateWordsOf(db);
  const mandate: MandateDetailRow = must(
    await findMandate(db, tenant, row.mandate_id),
    "the mandate of a message",
  );
  const shown = { ...mandate, holder_name: mailableName(mandate.holder_name) ?? "…" };
  const sheet = mandateSheet(shown, await wordsOf(tenant, null, mandate));
  const { pdfOf } = await import("../files/pdf.ts");
  return {
    filename: `${mandate.reference.replace(/[^A-Za-z0-9-]/g, "_")}.pdf`,
    type: "application/pdf",
    content: await pdfOf(mandateCopy(sheet, mandate.accepted_at)),
  };
}
