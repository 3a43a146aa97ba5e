/** The creditor in a gateway's settings: the party to whom mandates are given, and the scheme. */
import { Type } from "../lib/schema.ts";
import { checkCreditorIdentifier, CREDITOR_IDENTIFIER } from "../sepa/creditor-identifier.ts";
import type { FieldMessages } from "../refusals.ts";
import {
  CITY_CHARS_MAX,
  NAME_CHARS_MAX,
  POSTAL_CODE_CHARS_MAX,
  STREET_CHARS_MAX,
} from "../sepa/messages/lengths.ts";
import { hasLetter, toSepaText } from "../sepa/messages/text.ts";

/** CORE is for all debtors; B2B for businesses only, who have no right to a refund (EPC SDD B2B rulebook). */
export type Scheme = "CORE" | "B2B";

/** The creditor in a mandate, fixed when it is accepted. The address needs a city, or is absent. */
export interface Creditor {
  readonly name: string;
  readonly identifier: string | null;
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  /** ISO 3166, two letters. */
  readonly country: string | null;
  readonly scheme: Scheme;
  /** Days from the announcement of a debit to its due date. */
  readonly pre_notification_days: number;
}

/** The scheme of mandates signed from now on, by a gateway's settings. */
export function schemeOf(settings: Readonly<Record<string, unknown>>): Scheme {
  return settings["scheme"] === "B2B" ? "B2B" : "CORE";
}

const NAME = Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX });
const IDENTIFIER = Type.String({ minLength: 8, maxLength: 35 });

/** The creditor settings of every adapter; missing ones come from the tenant. */
export const CREDITOR_SETTINGS = {
  creditor_name: Type.Optional(NAME),
  creditor_identifier: Type.Optional(IDENTIFIER),
  creditor_address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: STREET_CHARS_MAX,
      description: "Street and number. Default: the tenant's.",
    }),
  ),
  creditor_postal_code: Type.Optional(Type.String({ minLength: 1, maxLength: POSTAL_CODE_CHARS_MAX })),
  creditor_city: Type.Optional(Type.String({ minLength: 1, maxLength: CITY_CHARS_MAX })),
  creditor_country: Type.Optional(Type.String({ pattern: "^[A-Z]{2}$" })),
  scheme: Type.Optional(
    Type.Enum(["CORE", "B2B"], {
      description: "For mandates signed from now on; signed mandates keep theirs. Default CORE.",
    }),
  ),
  pre_notification_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description:
        "Pre-notification period that mandates agree on, in days between the payment and the due date. Default: the tenant's.",
    }),
  ),
};

/** For adapters that cannot collect without their own creditor. */
export const OWN_CREDITOR_SETTINGS = {
  ...CREDITOR_SETTINGS,
  creditor_name: NAME,
  creditor_identifier: IDENTIFIER,
};

interface Given {
  readonly creditor_name?: string;
  readonly creditor_identifier?: string;
  readonly creditor_address?: string;
  readonly creditor_postal_code?: string;
  readonly creditor_city?: string;
  readonly creditor_country?: string;
}

/** Validates these settings beyond the schema: a message for each invalid field. */
export function creditorProblems(given: Given): FieldMessages {
  const { creditor_name: name, creditor_identifier: identifier, creditor_city: city } = given;
  const needsCity = [given.creditor_address, given.creditor_postal_code, given.creditor_country];
  const lacksCity = city === undefined && needsCity.some((part) => part !== undefined);
  return {
    ...problem("creditor_name", name !== undefined && !isPrintable(name), PRINTABLE),
    ...problem(
      "creditor_identifier",
      identifier !== undefined && !checkCreditorIdentifier(identifier).valid,
      `Must be ${CREDITOR_IDENTIFIER}.`,
    ),
    ...problem("creditor_city", lacksCity, "An address needs a city and a country."),
    ...problem("creditor_city", city !== undefined && !isPrintable(city), PRINTABLE),
    ...problem(
      "creditor_country",
      city !== undefined && given.creditor_country === undefined,
      "An address needs a city and a country.",
    ),
  };
}

/**
 * The error for an account without a creditor identifier for real debits: the rulebooks require one in every mandate.
 */
export function identifierProblem(
  testMode: boolean,
  settings: Readonly<Record<string, unknown>> & Given,
  tenantsIdentifier: string | null,
): string | null {
  const named = settings.creditor_identifier ?? tenantsIdentifier;
  return testMode || named !== null
    ? null
    : "A live account needs a creditor identifier: set the gateway's or the tenant's.";
}

const PRINTABLE = "Must contain a letter of the SEPA character set.";

function isPrintable(text: string): boolean {
  return hasLetter(toSepaText(text));
}

function problem(name: string, wrong: boolean, message: string): FieldMessages {
  return wrong ? { [name]: [message] } : {};
}

/** The address in one line, such as "Hauptstr. 1, 10115 Berlin, Germany"; null without a city. */
export function addressLine(
  {
    address,
    postal_code: postalCode,
    city,
    country,
  }: Pick<Creditor, "address" | "postal_code" | "city" | "country">,
  words: { country(code: string): string },
): string | null {
  if (city === null) return null;
  const town = postalCode === null ? city : `${postalCode} ${city}`;
  const parts = [address, town, country === null ? null : words.country(country)];
  return parts.filter((part) => part !== null).join(", ");
}
