/**
 * What a version of the mandate's text said in other words than the texts of today, by its name without the scheme: the copy of a
 * mandate has the words that were accepted. A version that is not here was worded differently in more than these texts.
 */
import type { Language } from "./all.ts";
import type { Texts } from "./texts.ts";

type MandateTexts = Pick<
  Texts,
  | "mandateAuthorise"
  | "mandateRefund"
  | "businessTerms"
  | "mandateRights"
  | "mandateRecurring"
  | "mandateOneOff"
  | "mandateDebtor"
  | "mandateAccept"
  | "mandateImplicit"
>;
export type FormerTexts = Readonly<Partial<Record<Language, Partial<MandateTexts>>>>;

export const FORMER: ReadonlyMap<string, FormerTexts> = new Map([
  [
    "2026-11-2",
    {
      cs: { mandateDebtor: "Plátce a účet jsou ty, které uvedete na této stránce." },
      lt: {
        mandateRefund:
          "Jūs turite teisę į grąžinamąją išmoką iš savo banko pagal sutarties su juo sąlygas. Grąžinti lėšas reikia pareikalauti per 8 savaites nuo dienos, kurią lėšos buvo nurašytos.",
        businessTerms:
          "Sutikimas galioja tik mokėjimams tarp įmonių. Nurašius lėšas iš jūsų sąskaitos, jūs neturite teisės į grąžinamąją išmoką iš savo banko, tačiau iki mokėjimo termino dienos galite prašyti banko lėšų nenurašyti.",
      },
      lv: {
        mandateRefund:
          "Jums ir tiesības saņemt atmaksu no savas bankas saskaņā ar jūsu līguma noteikumiem. Atmaksa jāpieprasa 8 nedēļu laikā no dienas, kad jūsu konts tika debetēts.",
      },
      pl: {
        mandateDebtor: "Dłużnik i rachunek to dane podane na tej stronie.",
        mandateAccept: "Wyrażam tę zgodę na polecenie zapłaty SEPA.",
        mandateImplicit: "Wybierając „{button}”, wyrażają Państwo tę zgodę.",
      },
      sk: { mandateDebtor: "Platiteľ a účet sú tie, ktoré uvediete na tejto stránke." },
    },
  ],
]);
