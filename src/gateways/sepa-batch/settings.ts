/** The settings of a `sepa_batch` gateway: the merchant's bank account. */
import { Type, type Static } from "../../lib/schema.ts";
import { BIC } from "../../sepa/bic.ts";
import { REVERSIBLE_VERSION } from "../../sepa/messages/pain007.ts";
import { REVERSAL_TARGET_DAYS } from "../../sepa/windows.ts";
import { BANK_PROFILES, profileOf, type BankProfile } from "../../sepa/bank-profiles.ts";
import { checkIban, normaliseIban } from "../../sepa/iban.ts";
import { parseAmount, type Cents } from "../../lib/money.ts";
import type { FieldMessages } from "../../refusals.ts";
import { EBICS_FIELDS, ebicsProblems, usualDownloads } from "./transports/ebics/settings.ts";
import { creditorProblems, OWN_CREDITOR_SETTINGS, schemeOf, type Scheme } from "../../mandates/creditor.ts";

const SettingsSchema = Type.Object(
  {
    ...OWN_CREDITOR_SETTINGS,
    creditor_iban: Type.String({ minLength: 15, maxLength: 42 }),
    creditor_bic: Type.Optional(Type.String({ pattern: BIC.source })),
    bank_profile: Type.Optional(
      Type.Enum([...BANK_PROFILES], {
        description: "Gives other settings their defaults. What the bank is known to refuse is not saved.",
      }),
    ),
    message_version: Type.Optional(Type.Enum(["pain.008.001.08", "pain.008.001.02"])),
    lead_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: "TARGET days from the file to the due date. Default 2.",
      }),
    ),
    cut_off: Type.Optional(
      Type.String({
        pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
        description: "HH:MM. Default 12:00, or what is known of the bank.",
      }),
    ),
    time_zone: Type.Optional(Type.String({ description: "Of the cut-off. Default Europe/Berlin." })),
    first_sequence_type: Type.Optional(Type.Enum(["RCUR", "FRST"])),
    batch_booking: Type.Optional(
      Type.Boolean({ description: "true books each block as one sum. Default false: one booking each." }),
    ),
    b2b_confirmed_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        description:
          "A B2B debit waits until the debtor's bank has confirmed the mandate, and is due at the earliest this many TARGET days later. Default: it does not wait.",
      }),
    ),
    instant_refunds: Type.Optional(
      Type.Boolean({ description: "true sends refunds as SCT Inst, where the bank takes files of it." }),
    ),
    reversal_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: REVERSAL_TARGET_DAYS,
        description:
          "TARGET days after a debit's due date in which the bank takes its reversal (pain.007). Default: no reversals.",
      }),
    ),
    approvals_required: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2,
        description:
          "How many people approve a file before it goes to the bank. Holds for files written from then on. Default 0.",
      }),
    ),
    max_amount: Type.Optional(Type.String({ pattern: "^(0|[1-9][0-9]{0,7})\\.[0-9]{2}$" })),
    max_transactions_per_block: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    max_blocks_per_file: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    assume_settled_after: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        description:
          "TARGET days after the due date after which a collection without an answer counts as settled. Default: never.",
      }),
    ),
    transport: Type.Optional(
      Type.Object(
        {
          kind: Type.Enum(["manual", "directory", "sftp", "ebics"]),
          host: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
          port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
          username: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
          host_key: Type.Optional(
            Type.String({
              pattern: "^SHA256:[A-Za-z0-9+/]{43}=?$",
              description: "As ssh-keygen -lf prints it: SHA256:…",
            }),
          ),
          outbox: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
          inbox: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
          archive: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 255,
              description: "Where files are moved after reading. Default: they are deleted.",
            }),
          ),
          ...EBICS_FIELDS,
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

export const SEPA_SETTINGS = SettingsSchema;
export const SEPA_CREDENTIALS = Type.Object(
  {
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    private_key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 20_000, description: "OpenSSH or PEM." }),
    ),
    passphrase: Type.Optional(Type.String({ maxLength: 1_000 })),
  },
  { additionalProperties: false },
);

type Given = Static<typeof SettingsSchema>;

export interface Transport {
  readonly kind: "manual" | "directory" | "sftp" | "ebics";
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly hostKey: string;
  readonly outbox: string;
  readonly inbox: string;
  readonly archive: string | null;
}

/** The settings with all defaults, except how files travel (`transportOf`). */
export interface SepaSettings {
  readonly creditorName: string;
  readonly creditorIban: string;
  readonly creditorBic: string | null;
  readonly creditorIdentifier: string;
  /** For mandates without one. */
  readonly scheme: Scheme;
  readonly messageVersion: "pain.008.001.08" | "pain.008.001.02";
  readonly leadDays: number;
  readonly cutOff: string;
  readonly timeZone: string;
  /** For mandates without their own. */
  readonly preNotificationDays: number;
  readonly firstSequenceType: "RCUR" | "FRST";
  readonly batchBooking: boolean;
  readonly instantRefunds: boolean;
  /** TARGET days from a due date to the last day for a reversal; null: the bank accepts no reversals. */
  readonly reversalDays: number | null;
  /** Null: a B2B debit does not wait for the debtor's bank. */
  readonly b2bConfirmedDays: number | null;
  /** How many people approve a file before it goes to the bank. */
  readonly approvalsRequired: number;
  /** Null: only the service's own limit applies, which is below that of SEPA. */
  readonly maxAmount: Cents | null;
  readonly maxTransactionsPerBlock: number;
  readonly maxBlocksPerFile: number;
  readonly assumeSettledAfter: number | null;
}

/** Reads a gateway record's settings, which were validated when they were saved. */
export function sepaSettings(stored: Readonly<Record<string, unknown>>): SepaSettings {
  const given = stored as Given;
  const bank = profileOf(given.bank_profile ?? null);
  return {
    creditorName: given.creditor_name,
    creditorIban: normaliseIban(given.creditor_iban),
    creditorBic: given.creditor_bic ?? null,
    creditorIdentifier: given.creditor_identifier,
    scheme: schemeOf(given),
    messageVersion: given.message_version ?? "pain.008.001.08",
    leadDays: given.lead_days ?? 2,
    cutOff: given.cut_off ?? bankCutOff(bank, given.lead_days) ?? "12:00",
    timeZone: given.time_zone ?? "Europe/Berlin",
    preNotificationDays: given.pre_notification_days ?? 14,
    firstSequenceType: given.first_sequence_type ?? "RCUR",
    batchBooking: given.batch_booking ?? bank.batchBooking?.value ?? false,
    b2bConfirmedDays: given.b2b_confirmed_days ?? null,
    instantRefunds: given.instant_refunds ?? false,
    reversalDays: given.reversal_days ?? null,
    approvalsRequired: given.approvals_required ?? 0,
    maxAmount: given.max_amount === undefined ? null : parseAmount(given.max_amount),
    maxTransactionsPerBlock: given.max_transactions_per_block ?? 50_000,
    maxBlocksPerFile: given.max_blocks_per_file ?? bank.blocksMax?.value ?? 10,
    assumeSettledAfter: given.assume_settled_after ?? null,
  };
}

/** How the account's files travel, with all defaults. */
export function transportOf(stored: Readonly<Record<string, unknown>>): Transport {
  const given = (stored as Given).transport ?? { kind: "manual" };
  return {
    kind: given.kind,
    host: given.host ?? "",
    port: given.port ?? 22,
    username: given.username ?? "",
    hostKey: given.host_key ?? "",
    outbox: given.outbox ?? ".",
    inbox: given.inbox ?? ".",
    archive: given.archive ?? null,
  };
}

/** The account's EBICS settings and what is known about its bank, for `ebicsSettings`. */
export function givenForEbics(
  stored: Readonly<Record<string, unknown>>,
): Parameters<typeof ebicsProblems>[0] {
  const { bank_profile: bank = null, transport } = stored as Given;
  return { ...downloadsOf(profileOf(bank), transport?.ebics_version), ...transport };
}

/** Whether the account sends reversals. Only debits of one message version can be reversed. */
export function takesReversals({ reversalDays, messageVersion }: SepaSettings): boolean {
  return reversalDays !== null && messageVersion === REVERSIBLE_VERSION;
}

/** The SFTP server and login that the credentials are for; null for other transports. */
export function sepaCredentialsServer(stored: Readonly<Record<string, unknown>>): string | null {
  const { kind, host, port, username, hostKey } = transportOf(stored);
  return kind === "sftp" ? JSON.stringify([host, port, username, hostKey]) : null;
}

/** Checks settings beyond the schema: a message for each invalid field; null when they are valid. */
export function sepaSettingsProblems(stored: Readonly<Record<string, unknown>>): FieldMessages | null {
  const given = stored as Given;
  const iban = checkIban(given.creditor_iban);
  const problems: FieldMessages = {
    ...creditorProblems(given),
    ...problem("creditor_iban", !iban.valid || !iban.sepa, "Must be a valid IBAN of a country in SEPA."),
    ...problem(
      "time_zone",
      !isTimeZone(given.time_zone ?? "UTC"),
      "Must be a time zone such as Europe/Berlin.",
    ),
    ...bankProblems(given),
    ...reversalProblems(given),
    ...transportProblems(given.transport),
  };
  return Object.keys(problems).length === 0 ? null : problems;
}

/** The bank's published cut-off as HH:MM, where it is known. */
function bankCutOff({ cutOff, nextDayCutOff }: BankProfile, leadDays: number | undefined): string | null {
  return (leadDays === 1 ? nextDayCutOff?.value : undefined) ?? cutOff?.value ?? null;
}

/** The orders used to fetch at this bank; there are no known defaults for H004. */
function downloadsOf({ downloads, scope }: BankProfile, version: string | undefined) {
  if (version === "H004") return {};
  if (downloads !== undefined) return { downloads: [...downloads.value] };
  return scope === undefined ? {} : { downloads: usualDownloads(scope.value) };
}

function bankProblems(given: Given): FieldMessages {
  const bank = profileOf(given.bank_profile ?? null);
  const { name, versionsUntil, blocksMax, nextDayCutOff } = bank;
  const until = versionsUntil?.value[given.message_version ?? ""];
  const blocks = given.max_blocks_per_file ?? 1;
  const tooLate =
    nextDayCutOff !== undefined && given.lead_days === 1 && (given.cut_off ?? "") > nextDayCutOff.value;
  const wrong = given.transport?.kind === "ebics" ? whyEbicsIsRefused(bank, given.transport) : null;
  return {
    ...problem("message_version", until !== undefined, `${name} takes it until ${until ?? ""}.`),
    ...problem(
      "max_blocks_per_file",
      blocksMax !== undefined && blocks > blocksMax.value,
      `${name} takes ${blocksMax?.value ?? 1} block in a file.`,
    ),
    ...problem(
      "cut_off",
      tooLate,
      `${name} takes debits for the next bank day until ${nextDayCutOff?.value ?? ""}.`,
    ),
    ...problem("bank_profile", wrong !== null, wrong ?? ""),
  };
}

/** Describes the settings that the bank is known to refuse over EBICS. */
function whyEbicsIsRefused(
  { name, ebicsVersion, scope, ownOrders }: BankProfile,
  { ebics_version: version, orders = {}, downloads = [] }: NonNullable<Given["transport"]>,
): string | null {
  if (ebicsVersion !== undefined && version === "H004")
    return `${name} has EBICS 3.0 (${ebicsVersion.value}) only.`;
  if (ownOrders !== undefined && (orders.core ?? orders.b2b) === undefined)
    return `${name} has orders of its own: set transport.orders, as in the bank's letter.`;
  if (ownOrders !== undefined && downloads.length === 0)
    return `${name} has orders of its own: set transport.downloads, as in the bank's letter.`;
  const foreign = [...Object.values(orders), ...downloads].find((text) => {
    const [, asked = ""] = text.split("/");
    return scope !== undefined && asked !== "" && asked !== scope.value;
  });
  return foreign === undefined
    ? null
    : `${name} has services with the scope ${scope?.value ?? ""}: ${foreign}.`;
}

/** Checks the settings of reversals. No bank publishes the order for them, so there is no default. */
function reversalProblems({
  reversal_days: days,
  message_version: version,
  transport,
}: Given): FieldMessages {
  if (days === undefined) return {};
  const messages = [
    ...(version !== undefined && version !== REVERSIBLE_VERSION
      ? [`Only debits of ${REVERSIBLE_VERSION} can be reversed.`]
      : []),
    ...(transport?.kind === "ebics" && transport.orders?.reversal === undefined
      ? [
          "Set transport.orders.reversal: the bank's letter says under which order it takes reversals (pain.007).",
        ]
      : []),
  ];
  return messages.length === 0 ? {} : { reversal_days: messages };
}

function transportProblems(transport: Given["transport"]): FieldMessages {
  if (transport?.kind === "ebics") {
    const problems = ebicsProblems(transport);
    return Object.keys(problems).length === 0 ? {} : { transport: problems };
  }
  if (transport?.kind !== "sftp") return {};
  const missing = (["host", "username", "host_key"] as const).filter((name) => transport[name] === undefined);
  if (missing.length === 0) return {};
  return {
    transport: Object.fromEntries(missing.map((name) => [name, ["This field is required for SFTP."]])),
  };
}

function problem(name: string, wrong: boolean, message: string): FieldMessages {
  return wrong ? { [name]: [message] } : {};
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
