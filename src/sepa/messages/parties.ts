/** The parties and banks in a message, in the form of ISO 20022. Pure. */
import { group, leaf } from "../../files/xml-writer.ts";
import { NAME_CHARS_MAX, REMITTANCE_CHARS_MAX } from "./lengths.ts";
import { toSepaText } from "./text.ts";

export function nameElement(name: string): string {
  return leaf("Nm", toSepaText(name, NAME_CHARS_MAX));
}

export function accountElement(iban: string): string {
  return group("Id", leaf("IBAN", iban));
}

/** An agent is required even when only its account is known. */
export function agentElement(bic: string | null, bicElement: "BICFI" | "BIC"): string {
  const id = bic === null ? group("Othr", leaf("Id", "NOTPROVIDED")) : leaf(bicElement, bic);
  return group("FinInstnId", id);
}

/** Schemas refuse an empty text, so the element is omitted without one. */
export function remittanceElement(remittance: string): string {
  const text = toSepaText(remittance, REMITTANCE_CHARS_MAX);
  return text === "" ? "" : group("RmtInf", leaf("Ustrd", text));
}

/** The creditor identifier, as the id of a person under a scheme of its own. */
export function creditorIdentifierElement(identifier: string): string {
  const other = group("Othr", leaf("Id", identifier), group("SchmeNm", leaf("Prtry", "SEPA")));
  return group("Id", group("PrvtId", other));
}
