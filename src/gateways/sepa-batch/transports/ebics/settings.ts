/** The settings of an account's EBICS access. */
import { Type, type Static } from "../../../../lib/schema.ts";
import { ORDER_PATTERN, orderOf, type Order } from "./orders.ts";
import type { EbicsVersion, Subscriber } from "./subscriber.ts";

const Id = Type.String({ pattern: "^[a-zA-Z0-9,=]{1,35}$", description: "As in the bank's letter." });
const OrderText = Type.String({
  pattern: ORDER_PATTERN,
  maxLength: 64,
  description: "An order type (CDD), or for H005 NAME/SCOPE/OPTION/CONTAINER/MESSAGE (SDD//COR//pain.008).",
});

/** The fields of the transport `ebics`. */
export const EBICS_FIELDS = {
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  host_id: Type.Optional(Id),
  partner_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
  ebics_version: Type.Optional(Type.Enum(["H005", "H004"], { description: "Default H005." })),
  signature_version: Type.Optional(Type.Enum(["A006", "A005"], { description: "Default A006." })),
  signature_class: Type.Optional(
    Type.Enum(["T", "E"], {
      description:
        "T (default): a person releases each file at the bank. E: our signature alone releases it.",
    }),
  ),
  bank_key_hash: Type.Optional(
    Type.Enum(["key", "certificate"], {
      description: "What the bank hashes of its keys. Default key; another answer is 091008.",
    }),
  ),
  orders: Type.Optional(
    Type.Object(
      {
        core: Type.Optional(OrderText),
        b2b: Type.Optional(OrderText),
        transfer: Type.Optional(OrderText),
        reversal: Type.Optional(OrderText),
      },
      { additionalProperties: false },
    ),
  ),
  downloads: Type.Optional(Type.Array(OrderText, { maxItems: 20 })),
};

const Fields = Type.Object(EBICS_FIELDS);
type Given = Static<typeof Fields>;

export interface EbicsSettings {
  readonly url: string;
  readonly subscriber: Subscriber;
  /** The orders for uploads. */
  readonly orders: Readonly<Record<"core" | "b2b" | "transfer", Order>> & {
    /** Null: not agreed with the bank. */
    readonly reversal: Order | null;
  };
  /** The orders downloaded besides the protocol. */
  readonly downloads: readonly Order[];
}

/** The defaults at German banks; a bank's own are in its letter. */
const USUAL: Readonly<
  Record<
    EbicsVersion,
    {
      readonly core: string;
      readonly b2b: string;
      readonly transfer: string;
      readonly downloads: readonly string[];
    }
  >
> = {
  H005: {
    core: "SDD//COR//pain.008",
    b2b: "SDD//B2B//pain.008",
    transfer: "SCT////pain.001",
    downloads: [
      "REP/DE/SDD/ZIP/pain.002",
      "EOP/DE//ZIP/camt.053",
      "STM/DE//ZIP/camt.052",
      "STM/DE//ZIP/camt.054",
    ],
  },
  H004: { core: "CDD", b2b: "CDB", transfer: "CCT", downloads: ["Z01", "C53", "C52", "C54"] },
};

/**
 * The default downloads over EBICS 3.0 from banks of another country.
 * @param scope two or three letters.
 */
export function usualDownloads(scope: string): string[] {
  return USUAL.H005.downloads.map((text) => text.replace("/DE/", `/${scope}/`));
}

export function ebicsSettings(given: Given): EbicsSettings {
  const version = given.ebics_version ?? "H005";
  const usual = USUAL[version];
  return {
    url: given.url ?? "",
    subscriber: {
      version,
      hostId: given.host_id ?? "",
      partnerId: given.partner_id ?? "",
      userId: given.user_id ?? "",
      signatureVersion: given.signature_version ?? "A006",
      signatureClass: given.signature_class ?? "T",
      digestOf: given.bank_key_hash ?? "key",
    },
    orders: {
      core: orderOf(given.orders?.core ?? usual.core),
      b2b: orderOf(given.orders?.b2b ?? usual.b2b),
      transfer: orderOf(given.orders?.transfer ?? usual.transfer),
      reversal: given.orders?.reversal === undefined ? null : orderOf(given.orders.reversal),
    },
    downloads: (given.downloads ?? usual.downloads).map(orderOf),
  };
}

/** Validates the settings beyond the schema: a message for each field that is missing or does not fit the version. */
export function ebicsProblems(given: Given): Readonly<Record<string, string[]>> {
  const missing = (["url", "host_id", "partner_id", "user_id"] as const)
    .filter((name) => given[name] === undefined)
    .map((name) => [name, ["This field is required for EBICS."]] as const);
  const services =
    given.ebics_version === "H004"
      ? [...Object.values(given.orders ?? {}), ...(given.downloads ?? [])].filter((text) =>
          text.includes("/"),
        )
      : [];
  const unfit =
    services.length === 0
      ? []
      : [["orders", ["H004 has order types of three letters, and no services."]] as const];
  return Object.fromEntries([...missing, ...unfit]);
}
