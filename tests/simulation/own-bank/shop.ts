/** A merchant with accounts at a bank, and the simulation's records of it. */
import type { Json } from "../../support/service.ts";
import type { Random } from "../../../tools/random.ts";
import type { BankFile, Booking } from "./bookings.ts";
import { createMessages, type Messages } from "./messages.ts";
import { createBankModel, type BankModel } from "./model.ts";
import { isWeekly, type Plan } from "./trouble.ts";
import type { World } from "./world.ts";
import { OPERATOR_KEY } from "../../support/service.ts";

export interface ShopGateway {
  readonly id: string;
  /** The present transport and settings; people change them. */
  transport: "manual" | "directory";
  settings: Json;
  /** All accounts that it has had. */
  readonly ibans: Set<string>;
}

/** What was agreed with a mandate's customer. */
export interface Agreed {
  /** The days between the notice of a debit and the debit. */
  readonly noticeDays: number;
  /** Whether the merchant has a town that a bank can print. */
  readonly hasTown: boolean;
}

/** One entry on a page of a statement. */
export interface OnPage {
  readonly page: number;
  readonly booking: number;
  /** The movement, its record and its day. */
  readonly what: string;
  /** Whether the service took it for the known movement or the first of its kind, so that no person sees it. */
  readonly swallowed: boolean;
}

export interface Shop {
  readonly name: string;
  readonly tenant: number;
  readonly tenantId: string;
  readonly key: string;
  readonly gateways: readonly ShopGateway[];
  readonly bank: BankModel;
  readonly messages: Messages;
  /** Files of the bank that were not delivered yet. */
  waiting: BankFile[];
  /** The files that were read, by the id of the service's record. */
  readonly read: Map<string, BankFile>;
  /** Reported bookings by number, with the number of changes that they made and whether one waited for a person. */
  readonly reported: Map<number, { readonly booking: Booking; changed: number; waited: boolean }>;
  /** The entries that each statement's pages have reported. */
  readonly pages: Map<string, OnPage[]>;
  /** Collections and refunds that a status report has rejected. */
  readonly refused: Set<string>;
  /** Payments that people have charged back or decided by hand, and how. */
  readonly byHand: Map<string, "charged_back" | "partly" | "foreign" | "dismissed">;
  /** Payments that a person has reinstated because their money had come. */
  readonly reinstated: Set<string>;
  /** The parts of a block's sum that a person has recorded, by the number of the booking, in cents. */
  readonly blocks: Map<string, Map<number, number>>;
  /** Payments whose mandate was changed to another account while they waited. */
  readonly moved: Set<string>;
  /** What customers have agreed to, by the mandate's id. */
  readonly agreed: Map<string, Agreed>;
  /** The cents of partial returns that were applied by hand. */
  readonly parts: Map<string, number>;
  /** The numbers of delivered statements, by account. */
  readonly statements: Map<string, Set<number>>;
  /** Files that were carried to the bank, by the id of the service's record, including those not marked as sent yet. */
  readonly given: Set<string>;
  readonly fetched: Set<string>;
  /** Mandates that were imported. */
  readonly imported: Set<string>;
}

/** Documented test accounts of the merchants and of their customers. */
export const ACCOUNTS = {
  A: "DE89370400440532013000",
  formerA: "DE78370400440532013004",
  atOtherBank: "DE55370400440532013030",
  B: "DE08370400440532013003",
} as const;
export const CUSTOMERS = [
  "NL91ABNA0417164300",
  "DE62370400440532013001",
  "DE35370400440532013002",
  "DE13370400440532013010",
  "DE34370400440532013020",
] as const;
/** An account outside the EEA: its bank has to be told the holder's address. */
export const ABROAD = "CH9300762011623852957";
/** Nothing is sent to this address, because this simulation does not run the job that delivers webhooks. */
const RECEIVER = "http://127.0.0.1:9/renewals";
export const CREDITORS = ["DE98ZZZ09999999999", "AT61ZZZ01234567890"] as const;

export async function openShop(world: World, random: Random, plan: Plan, name: "A" | "B"): Promise<Shop> {
  const made = async (key: string, resource: string, body: object): Promise<Json> => {
    const answer = await world.call("POST", `management/${resource}/`, { key, body });
    if (answer.status !== 201) throw new Error(`${resource} was answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const { id: tenantId, api_key: key } = await made(OPERATOR_KEY, "tenants", {
    name: `Shop ${name}`,
    country: "DE",
  });
  const gateway = async (
    scheme: "CORE" | "B2B",
    transport: "manual" | "directory",
    iban: string = ACCOUNTS[name],
  ): Promise<ShopGateway> => {
    const settings = {
      creditor_name: `Shop ${name} GmbH`,
      creditor_iban: iban,
      creditor_identifier: CREDITORS[0],
      scheme,
      pre_notification_days: plan.noticeDays,
      lead_days: plan.leadDays,
      first_sequence_type: plan.firstSequenceType,
      batch_booking: plan.batchBooking,
      message_version: plan.messageVersion,
      ...(plan.assumeAfter === null ? {} : { assume_settled_after: plan.assumeAfter }),
      ...(plan.trait === "reverses" ? { reversal_days: 5 } : {}),
      ...(plan.approvals === 0 ? {} : { approvals_required: plan.approvals }),
      ...(transport === "directory" ? { transport: { kind: "directory" } } : {}),
    };
    const { id } = await made(key, "gateways", {
      name: `House bank ${scheme}`,
      adapter: "sepa_batch",
      test_mode: true,
      completed_event_at: plan.completedAt,
      settings,
    });
    return { id, transport, settings, ibans: new Set([settings.creditor_iban]) };
  };
  // Registers a receiver of announcements. Only in these seeds, because it would change the ids that others draw.
  if (isWeekly(plan.trait))
    await made(key, "webhook-profiles", {
      name: "Hears of renewals",
      url: RECEIVER,
      events: ["subscription.upcoming"],
    });
  const gateways = [await gateway("CORE", name === "A" ? plan.transport : "manual")];
  if (name === "A" && plan.secondGateway) gateways.push(await gateway("B2B", "manual"));
  if (name === "A" && plan.secondBank) gateways.push(await gateway("CORE", "manual", ACCOUNTS.atOtherBank));
  const [row] = await world.rows("select tenant from tenants where id = $1", [tenantId]);
  const messages = createMessages(random.fork(), plan.habits, name, plan.secondBank);
  return {
    name,
    tenant: row?.["tenant"],
    tenantId,
    key,
    gateways,
    messages,
    bank: createBankModel(random.fork(), plan.habits, messages, plan),
    waiting: [],
    read: new Map(),
    reported: new Map(),
    pages: new Map(),
    refused: new Set(),
    byHand: new Map(),
    reinstated: new Set(),
    blocks: new Map(),
    moved: new Set(),
    agreed: new Map(),
    parts: new Map(),
    statements: new Map(),
    given: new Set(),
    fetched: new Set(),
    imported: new Set(),
  };
}

/** The gateways that accept a statement of this account. */
export function gatewaysOf(shop: Shop, account: string): readonly ShopGateway[] {
  const now = shop.gateways.filter(({ settings }) => settings.creditor_iban === account);
  // A gateway that has left the account accepts its statements only if it has used it.
  return now.length > 0 ? now : shop.gateways.filter(({ ibans }) => ibans.has(account));
}
