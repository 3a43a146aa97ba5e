/** Which countries' accounts SEPA reaches, by the country code of the IBAN (the scheme as of 2026; contract: IBAN validation). */

const EUROPEAN_UNION = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK";
const EUROPEAN_ECONOMIC_AREA = "IS LI NO";
/** In the order in which they joined. */
const OTHERS = "CH MC SM GB AD VA AL ME MD MK RS";

/** The 41 countries of the SEPA schemes. */
export const SEPA_COUNTRIES: readonly string[] =
  `${EUROPEAN_UNION} ${EUROPEAN_ECONOMIC_AREA} ${OTHERS}`.split(" ");

/**
 * IBAN prefixes of territories that belong to SEPA through a country above and yet have a code of their own.
 *
 * The other territories need no line, because their banks issue IBANs of the mother country: FR for Guadeloupe,
 * Martinique, French Guiana, Réunion, Mayotte, Saint Barthélemy, Saint Martin and Saint Pierre and Miquelon; GB for
 * Guernsey, Jersey and the Isle of Man; FI for Åland; ES for the Canary Islands, Ceuta and Melilla; PT for the Azores
 * and Madeira. Greenland (GL) and the Faroe Islands (FO) have codes of their own and are outside SEPA.
 */
const SEPA_TERRITORIES: readonly string[] = ["GI"];

/** The first two letters of every IBAN that can be debited through SEPA. */
export const SEPA_IBAN_CODES: readonly string[] = [...SEPA_COUNTRIES, ...SEPA_TERRITORIES];

const REACHED: ReadonlySet<string> = new Set(SEPA_IBAN_CODES);

/** Whether an IBAN that begins with this code can be debited through SEPA. */
export function isSepaCountry(code: string): boolean {
  return REACHED.has(code);
}
