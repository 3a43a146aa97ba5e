/** Messages in Slovenian. */
import type { MessageTexts } from "./texts.ts";

export const sl: MessageTexts = {
  greeting: "Pozdravljeni, {name},",
  greetingUnnamed: "Pozdravljeni,",
  mandateSubject: "Vaše soglasje za direktno obremenitev SEPA: {creditor}",
  mandateText:
    "Hvala. Dali ste soglasje za direktno obremenitev SEPA. Prejemnik: {creditor}. Soglasje je v priponki; prosimo, shranite ga.",
  debitDay: "Obremenitev najprej",
  noticeSubject: "Direktna obremenitev {amount}, {date}",
  noticeText:
    "{creditor} bo bremenil vaš račun za {amount}. Datum: {date} ali prvi naslednji bančni delovni dan. Prosimo, poskrbite za zadostno kritje na računu.",
  noticeRepeats:
    "Nato {amount} {interval}. Znova vas bomo obvestili, če se spremeni znesek, dan ali soglasje.",
  receiptSubject: "Potrdilo: {amount}, {creditor}",
  receiptText: "Vaše plačilo v znesku {amount} je prejel {creditor}. Hvala.",
  failedSubject: "Vaše plačilo v znesku {amount} ni bilo izvedeno: {creditor}",
  failedText: "Vaša banka ni izvedla direktne obremenitve v znesku {amount}. Prejemnik: {creditor}.",
  failedAgain: "Nov poskus: {date}. Prosimo, do takrat poskrbite za zadostno kritje na računu.",
  failedEnd: "Samodejnega novega poskusa ne bo. Glede načina plačila se obrnite na: {creditor}.",
  failedPay: "Ko bo vzrok odpravljen, lahko tukaj zahtevate ponovno obremenitev:",
  returnedSubject: "Vaše plačilo v znesku {amount} je bilo vrnjeno: {creditor}",
  returnedText:
    "Vaša banka je vrnila direktno obremenitev v znesku {amount}. Prejemnik: {creditor}. Denar je spet na vašem računu.",
  returnedByYou: "Vaša banka navaja, da ste to zahtevali vi.",
  returnedEnd: "Če znesek še dolgujete, se glede načina plačila obrnite na: {creditor}.",
  bankCode: "Koda banke",
};
