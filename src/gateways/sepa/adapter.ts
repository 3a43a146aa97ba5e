/** The bank itself as a gateway: instructions are written down here, go out in files at the cut-off, and end with the bank's statements. */
import { addTargetDays } from "../../banking/target.ts";
import { formatAmount } from "../../lib/money.ts";
import { utcDate, type IsoDate } from "../../lib/dates.ts";
import { needsAddress } from "../../sepa/direct-debit-file.ts";
import { faultOfMandateReference } from "../../sepa/references.ts";
import { hasLetter, toSepaText } from "../../sepa/text.ts";
import type {
  Adapter,
  AdapterParts,
  Collection,
  Gateway,
  GatewayAccount,
  News,
  Outcome,
  Refund,
  RefundOutcome,
} from "../gateway.ts";
import { reasonOf } from "../reasons.ts";
import {
  SEPA_CREDENTIALS,
  SEPA_SETTINGS,
  sepaSettings,
  sepaSettingsProblems,
  type SepaSettings,
} from "./settings.ts";
import {
  acknowledgeNews,
  fenceReference,
  openInstruction,
  openNews,
  openRefund,
  type NewInstruction,
  type SepaCollection,
} from "./store.ts";

export const SEPA_ADAPTER = "sepa_batch";

/** Whom and where to debit, sealed in the books. */
export interface Debtor {
  readonly iban: string;
  readonly bic: string | null;
  readonly address: Collection["address"];
}

const NAME_MAX = 70;
const REMITTANCE_MAX = 140;
/** A debit can come back for so many days of settlement (SDD Core: D+5), plus what the bank needs to tell of it. */
const REFUND_AFTER_TARGET_DAYS = 7;

/** So long the debtor's own bank refunds a debit without asking (SDD Core rulebook, refunds). */
const REFUND_RIGHT_DAYS = 56;

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
      testModeOnly: false,
    },
    settingsSchema: SEPA_SETTINGS,
    credentialsSchema: SEPA_CREDENTIALS,
    settingsProblems: sepaSettingsProblems,
    connect: (account) => sepaGateway(parts, account),
  };
}

/** What the debtor of a reference is sealed to. */
export function debtorContext(reference: string): string {
  return `sepa_collections.debtor:${reference}`;
}

function sepaGateway(parts: AdapterParts, account: GatewayAccount): Gateway {
  const { db, time } = parts;
  return {
    async collect(collection) {
      const settings = sepaSettings(account.settings);
      return told(await openInstruction(db, account, instructionOf(parts, account, settings, collection)));
    },
    async verify() {
      throw new Error("A bank that is sent files asks nobody to verify anything");
    },
    refund: (refund) => takeUpRefund(parts, account, refund),
    async resolve(reference) {
      return told(await fenceReference(db, account, reference, time.now(account.tenant)));
    },
    async news(limit) {
      return (await openNews(db, account, limit)).map(newsOf);
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
  const name = toSepaText(collection.holderName, NAME_MAX);
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
    remittance: toSepaText(`${collection.descriptor ?? settings.creditorName} ${reference}`, REMITTANCE_MAX),
    notBefore: plusDays(utcDate(now), settings.preNotificationDays),
    reasonCode: reason,
    now,
  };
}

/** The ISO code of what a bank would refuse the instruction for: better now, while the customer is there. */
function whyRefused(settings: SepaSettings, collection: Collection, name: string): string | null {
  if (!hasLetter(name)) return "BE01";
  if (faultOfMandateReference(collection.mandate.reference) !== null) return "MD02";
  if (settings.maxAmount !== null && collection.amount > settings.maxAmount) return "AM02";
  return needsAddress(collection.iban.slice(0, 2)) && (collection.address?.city ?? null) === null
    ? "BE07"
    : null;
}

async function takeUpRefund(
  { db, time }: AdapterParts,
  account: GatewayAccount,
  refund: Refund,
): Promise<RefundOutcome> {
  const settings = sepaSettings(account.settings);
  const now = time.now(account.tenant);
  const today = utcDate(now);
  const row = await openRefund(db, account, {
    reference: refund.reference,
    refundOf: refund.original.reference,
    amount: formatAmount(refund.amount),
    currency: refund.currency,
    remittance: toSepaText(
      `${refund.reason ?? settings.creditorName} ${refund.original.reference}`,
      REMITTANCE_MAX,
    ),
    settledBy: addTargetDays(today, -REFUND_AFTER_TARGET_DAYS),
    notBefore: today,
    now,
  });
  return told(row);
}

function noticeOf({ collected_on, created_at }: SepaCollection): string | null {
  if (collected_on === null) return null;
  const until = plusDays(collected_on, REFUND_RIGHT_DAYS);
  if (utcDate(created_at) > until) return null;
  return `Until ${until} the customer can have the debit refunded by the own bank as well: then the money has left twice.`;
}

const REFUSED_WORDS: Readonly<Record<string, string>> = {
  BE01: "The account holder's name has no letter that banks can print.",
  BE07: "The account's bank is outside the European Economic Area: the account holder's address (at least the city) is needed.",
  MD02: "The mandate reference has characters that banks do not take.",
  AM02: "The amount is above what is collected through this account, or above what is left of the payment.",
  NOOR: "There is no such collection.",
  ARDT: "This collection is not settled, or has gone back already.",
  DT01: "This collection can come back by itself for some days: refund it from the seventh day of settlement on.",
};

/** What the books say, as the port says it. What becomes of an accepted instruction, the news tell. */
function told(row: SepaCollection): Exclude<Outcome, { readonly kind: "verification_required" }> {
  const gatewayReference = null;
  const processedAt = row.created_at;
  switch (row.state) {
    case "mandate_only":
      return { kind: "approved", gatewayReference, processedAt };
    case "fenced":
      return declined("gateway_unavailable", null, null, processedAt);
    case "refused": {
      const code = row.reason_code ?? "";
      return declined(reasonOf(code).code, code, REFUSED_WORDS[code] ?? null, processedAt);
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
  const { reference, at, kind } = row;
  if (kind === "settled") return { kind, reference, at, gatewayReference: row.gateway_reference };
  return {
    kind,
    reference,
    at,
    reasonCode: row.reason_code ?? "NARR",
    reasonMessage: row.reason_message,
    bankFee: row.bank_fee,
    reportType: row.report_type,
    source: "reconciliation",
  };
}

function plusDays(date: IsoDate, days: number): IsoDate {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}
