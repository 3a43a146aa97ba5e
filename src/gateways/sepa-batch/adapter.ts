/**
 * The sepa_batch adapter: records instructions, which leave in files at the cut-off and are settled by the bank's
 * statements.
 */
import { addTargetDays } from "../../sepa/target.ts";
import { must } from "../../lib/assert.ts";
import { formatAmount } from "../../lib/money.ts";
import { addDays, utcDate, type IsoDate } from "../../lib/dates.ts";
import {
  collectionDate,
  CORE_RETURN_TARGET_DAYS,
  localDate,
  submissionDay,
  windowsOf,
} from "../../sepa/windows.ts";
import { hasAddresses, hasCity, needsAddress } from "../../sepa/messages/direct-debit-file.ts";
import { faultOfMandateReference } from "../../sepa/mandate-reference.ts";
import { NAME_CHARS_MAX, REMITTANCE_CHARS_MAX } from "../../sepa/messages/lengths.ts";
import { hasLetter, toSepaText } from "../../sepa/messages/text.ts";
import type {
  Adapter,
  AdapterParts,
  Collection,
  Debit,
  Gateway,
  GatewayAccount,
  News,
  Outcome,
  Refund,
  RefundOutcome,
} from "../gateway.ts";
import { reasonOf } from "../../sepa/reasons.ts";
import {
  SEPA_CREDENTIALS,
  SEPA_SETTINGS,
  sepaCredentialsServer,
  sepaSettings,
  sepaSettingsProblems,
  takesReversals,
  type SepaSettings,
} from "./settings.ts";
import {
  acknowledgeNews,
  fenceReference,
  findInstruction,
  openInstruction,
  openNews,
  openRefund,
  withdrawInstruction,
  type NewInstruction,
  type SepaCollection,
} from "./books-store.ts";

export const SEPA_ADAPTER = "sepa_batch";

/** The debtor's name and account, sealed in the books. */
export interface Debtor {
  readonly iban: string;
  readonly bic: string | null;
  readonly address: Collection["address"];
}

/** As long as the bank can return a debit, plus two days to report it. */
const REFUND_AFTER_TARGET_DAYS = CORE_RETURN_TARGET_DAYS + 2;

/** The adapter named `sepa_batch`. */
export function sepaAdapter(parts: AdapterParts): Adapter {
  return {
    name: SEPA_ADAPTER,
    displayName: "SEPA batch",
    capabilities: {
      currencies: ["EUR"],
      verification: false,
      asynchronous: true,
      refunds: true,
      reversals: true,
      testModeOnly: false,
    },
    asksAddress: true,
    settingsSchema: SEPA_SETTINGS,
    credentialsSchema: SEPA_CREDENTIALS,
    settingsProblems: sepaSettingsProblems,
    credentialsServer: sepaCredentialsServer,
    connect: (account) => sepaGateway(parts, account),
  };
}

/** The context that the debtor of a reference is sealed with. */
export function debtorContext(reference: string): string {
  return `sepa_collections.debtor:${reference}`;
}

function sepaGateway(parts: AdapterParts, account: GatewayAccount): Gateway {
  const { db, time } = parts;
  return {
    async collect(collection) {
      const settings = sepaSettings(account.settings);
      return outcomeOf(
        await openInstruction(db, account, instructionOf(parts, account, settings, collection)),
      );
    },
    async verify() {
      throw new Error("A sepa_batch gateway has no verification");
    },
    refund: (refund) =>
      refund.way === "reversal"
        ? takeUpReversal(parts, account, refund)
        : takeUpRefund(parts, account, refund),
    async reversibleUntil(reference) {
      const row = await findInstruction(db, account, reference);
      const until = row && reversibleUntil(sepaSettings(account.settings), row);
      if (until === null) return null;
      return { day: until, isOver: submissionOf(account, time.now(account.tenant)) > until };
    },
    async resolve(reference) {
      return outcomeOf(await fenceReference(db, account, reference, time.now(account.tenant)));
    },
    withdraw: (reference) => withdrawInstruction(db, account, reference, time.now(account.tenant)),
    debitDay: (at, notice) => {
      const settings = sepaSettings(account.settings);
      return dueDay(settings, at, notBeforeOf(settings, at, notice));
    },
    async debit(reference) {
      const row = await findInstruction(db, account, reference);
      return row && debitOf(sepaSettings(account.settings), row, time.now(account.tenant));
    },
    async news(limit, skip) {
      return (await openNews(db, account, limit, skip)).map(newsOf);
    },
    acknowledge: (news) => acknowledgeNews(db, account, news, time.now(account.tenant)),
  };
}

function instructionOf(
  { keys, time }: AdapterParts,
  { tenant }: GatewayAccount,
  settings: SepaSettings,
  collection: Collection,
): NewInstruction {
  const { reference, iban, bic, address } = collection;
  const now = time.now(tenant);
  const name = toSepaText(collection.holderName, NAME_CHARS_MAX);
  const reason = whyRefused(settings, collection, name);
  const debtor: Debtor = { iban, bic, address };
  return {
    reference,
    refundOf: null,
    state: reason !== null ? "refused" : collection.amount === 0 ? "mandate_only" : "accepted",
    amount: formatAmount(collection.amount),
    currency: collection.currency,
    recurring: collection.recurring,
    mandateReference: collection.mandate.reference,
    mandateSignedOn: utcDate(collection.mandate.signedAt),
    debtorName: name,
    debtor: keys.seal(tenant, debtorContext(reference), JSON.stringify(debtor)),
    remittance: remittanceOf(collection.descriptor ?? settings.creditorName, reference),
    notBefore: notBeforeOf(settings, now, collection.mandate.preNotificationDays),
    scheme: collection.mandate.scheme,
    reasonCode: reason,
    now,
  };
}

/** The earliest due date for an agreed pre-notification period, counted in the time zone of the account's cut-off. */
function notBeforeOf(settings: SepaSettings, at: Date, agreedDays: number | null): IsoDate {
  return addDays(localDate(at, settings.timeZone).toString(), agreedDays ?? settings.preNotificationDays);
}

/** The due date of the first file that can include an instruction accepted at this time. */
function dueDay(settings: SepaSettings, at: Date, notBefore: IsoDate | null): IsoDate {
  const { cutOff: time, timeZone: zone, leadDays: leadTargetDays } = settings;
  return collectionDate({
    today: submissionDay(at, { time, zone }),
    leadTargetDays,
    prenotifiedOn: null,
    preNotificationDays: 0,
    notBefore,
  });
}

function debitOf(settings: SepaSettings, row: SepaCollection, now: Date): Debit | null {
  const waits = row.state === "accepted";
  if (!waits && row.due_date === null) return null;
  const day = row.due_date ?? dueDay(settings, now, row.not_before);
  const { lastCoreReturn, lastB2bReturn } = windowsOf(day);
  const pendingUntil = (row.scheme ?? settings.scheme) === "B2B" ? lastB2bReturn : lastCoreReturn;
  return { day, pendingUntil, statementText: row.remittance };
}

/**
 * The ISO code of a reason for which a bank would refuse the instruction. It is checked now, while the customer can
 * correct it.
 */
function whyRefused(settings: SepaSettings, collection: Collection, name: string): string | null {
  if (!hasLetter(name)) return "BE01";
  if (faultOfMandateReference(collection.mandate.reference) !== null) return "MD02";
  if (settings.maxAmount !== null && collection.amount > settings.maxAmount) return "AM02";
  if (!needsAddress(collection.iban.slice(0, 2))) return null;
  if (!hasAddresses(settings.messageVersion)) return "AG01";
  return hasCity(collection.address) ? null : "BE07";
}

/** The text on the customer's statement. A text that is too long is cut; its reference is always complete. */
function remittanceOf(words: string, reference: string): string {
  return toSepaText(
    `${toSepaText(words, REMITTANCE_CHARS_MAX - reference.length - 1)} ${reference}`,
    REMITTANCE_CHARS_MAX,
  );
}

function takeUpRefund(parts: AdapterParts, account: GatewayAccount, refund: Refund): Promise<RefundOutcome> {
  const today = utcDate(parts.time.now(account.tenant));
  const settledBy = addTargetDays(today, -REFUND_AFTER_TARGET_DAYS);
  return openedRefund(parts, account, refund, { settledBy, reversibleUntil: null });
}

/** Records a reversal. It has to reach the bank within days of the debit's due date. */
async function takeUpReversal(
  parts: AdapterParts,
  account: GatewayAccount,
  refund: Refund,
): Promise<RefundOutcome> {
  const settings = sepaSettings(account.settings);
  const now = parts.time.now(account.tenant);
  const debit = await findInstruction(parts.db, account, refund.original.reference);
  const until = debit && reversibleUntil(settings, debit);
  const why = !takesReversals(settings)
    ? "AG02"
    : until !== null && submissionOf(account, now) > until
      ? "DT01"
      : null;
  if (why !== null) return declined(reasonOf(why).code, why, NOT_REVERSIBLE[why] ?? null, now);
  const today = utcDate(now);
  // A debit without such a day is not settled, only assumed to be, or in no file: its reversal is refused.
  return openedRefund(parts, account, refund, { settledBy: today, reversibleUntil: until ?? today });
}

/** Records the refund if the collection allows it. */
async function openedRefund(
  { db, time }: AdapterParts,
  account: GatewayAccount,
  { reference, original, amount, currency, reason }: Refund,
  which: { readonly settledBy: IsoDate; readonly reversibleUntil: IsoDate | null },
): Promise<RefundOutcome> {
  const settings = sepaSettings(account.settings);
  const now = time.now(account.tenant);
  const row = await openRefund(db, account, {
    reference,
    refundOf: original.reference,
    amount: formatAmount(amount),
    currency,
    remittance: remittanceOf(reason ?? settings.creditorName, original.reference),
    notBefore: utcDate(now),
    now,
    ...which,
  });
  return outcomeOf({ ...row, scheme: row.scheme ?? settings.scheme });
}

/** The last day on which the bank takes a reversal of a debit; null where it takes none. */
function reversibleUntil(
  { reversalDays }: SepaSettings,
  { due_date: due, state, assumed }: Pick<SepaCollection, "due_date" | "state" | "assumed">,
): IsoDate | null {
  if (reversalDays === null || due === null || state !== "settled" || assumed) return null;
  return addTargetDays(due, reversalDays);
}

/** The day on which a file written next reaches the bank. */
function submissionOf({ settings }: GatewayAccount, now: Date): IsoDate {
  const { cutOff: time, timeZone: zone } = sepaSettings(settings);
  return submissionDay(now, { time, zone });
}

/** Warns the merchant that the customer can also reclaim a core debit. B2B debits cannot be reclaimed. */
function noticeOf({
  collected_on,
  created_at,
  scheme,
  reversible_until: reversible,
}: SepaCollection): string | null {
  if (collected_on === null || scheme === "B2B") return null;
  const until = windowsOf(collected_on).refundUntil;
  if (utcDate(created_at) > until) return null;
  if (reversible !== null)
    return `The reversal goes to the bank by ${reversible}. Until ${until} the customer can also reclaim the debit from their bank, in which case you pay twice.`;
  return `Until ${until} the customer can also reclaim the debit from their bank, in which case you pay twice.`;
}

const REFUSED_WORDS: Readonly<Record<string, string>> = {
  AG02: "The bank has collected this debit from a file that was withdrawn, so it has no reversal. Refund it by transfer, from the seventh day after settlement.",
  AG01: "The account's bank is outside the European Economic Area, and this gateway's files (pain.008.001.02) cannot debit it.",
  BE01: "The account holder's name has no letter of the SEPA character set.",
  BE07: "The account's bank is outside the European Economic Area: the account holder's address is required (at least the city, in letters of the SEPA character set).",
  MD02: "The mandate reference has characters outside the SEPA character set.",
  AM02: "The amount exceeds what this account collects, or what remains of the payment.",
  AM09: "A debit is reversed in full or not at all.",
  NOOR: "No such collection.",
  ARDT: "This collection is not settled, or was already returned.",
  DT01: "The bank can still return this collection: refund it from the seventh day after settlement, or by reversal where the account's bank takes them.",
};

const NOT_REVERSIBLE: Readonly<Record<string, string>> = {
  AG02: "This account sends no reversals: its setting reversal_days says until when its bank takes them.",
  DT01: "The time in which the bank takes a reversal of this debit has passed.",
};

/** The port's outcome for a state in the books. The outcome of an accepted instruction follows as news. */
function outcomeOf(row: SepaCollection): Exclude<Outcome, { readonly kind: "verification_required" }> {
  const gatewayReference = null;
  const processedAt = row.created_at;
  switch (row.state) {
    case "mandate_only":
      return { kind: "approved", gatewayReference, processedAt };
    case "fenced":
      return declined("gateway_unavailable", null, null, processedAt);
    case "refused": {
      const code = row.reason_code ?? "";
      const refused = declined(reasonOf(code).code, code, REFUSED_WORDS[code] ?? null, processedAt);
      return { ...refused, attemptUsed: false };
    }
    default:
      return { kind: "pending", gatewayReference, processedAt, notice: noticeOf(row) };
  }
}

function declined(
  code: ReturnType<typeof reasonOf>["code"],
  gatewayCode: string | null,
  gatewayMessage: string | null,
  processedAt: Date,
) {
  return {
    kind: "declined",
    code,
    gatewayCode,
    gatewayMessage,
    gatewayReference: null,
    processedAt,
  } as const;
}

function newsOf(row: Awaited<ReturnType<typeof openNews>>[number]): News {
  const { reference, at, kind, number: id, round } = row;
  if (kind === "settled" || kind === "reinstated")
    return { id, round, kind, reference, at, gatewayReference: row.gateway_reference };
  if (kind === "fee")
    return { id, round, kind, reference, at, bankFee: must(row.bank_fee, "the amount of a fee") };
  return {
    id,
    round,
    kind,
    reference,
    at,
    reasonCode: row.reason_code ?? "NARR",
    reasonMessage: row.reason_message,
    bankFee: row.bank_fee,
    reportType: row.report_type,
    amount: row.amount,
    source: "reconciliation",
  };
}
