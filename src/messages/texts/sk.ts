/** Messages in Slovak. */
import type { MessageTexts } from "./texts.ts";

export const sk: MessageTexts = {
  greeting: "Dobrý deň, {name},",
  greetingUnnamed: "Dobrý deň,",
  mandateSubject: "Váš mandát na inkaso SEPA: {creditor}",
  mandateText:
    "Ďakujeme. Udelili ste mandát na inkaso SEPA. Príjemca: {creditor}. Mandát nájdete v prílohe; uschovajte si ho, prosím.",
  debitDay: "Odpísanie najskôr",
  noticeSubject: "Inkaso {amount} dňa {date}",
  noticeText:
    "{creditor} stiahne {amount} z vášho účtu dňa {date} alebo v prvý nasledujúci bankový pracovný deň. Zabezpečte, prosím, na účte dostatok prostriedkov.",
  noticeRepeats: "Potom {amount} {interval}. Opäť sa ozveme, ak sa zmení suma, deň alebo mandát.",
  receiptSubject: "Potvrdenie: {amount}, {creditor}",
  receiptText: "Vašu platbu vo výške {amount} prijal {creditor}. Ďakujeme.",
  failedSubject: "Vaša platba {amount} sa neuskutočnila: {creditor}",
  failedText: "Vaša banka nevykonala inkaso vo výške {amount}. Príjemca: {creditor}.",
  failedAgain: "Inkaso sa zopakuje dňa {date}. Zabezpečte, prosím, dovtedy na účte dostatok prostriedkov.",
  failedEnd:
    "Inkaso sa už automaticky nezopakuje. Na spôsob platby sa, prosím, opýtajte príjemcu: {creditor}.",
  failedPay: "Keď bude príčina odstránená, môžete si tu dať sumu stiahnuť znova:",
  returnedSubject: "Vaša platba {amount} bola vrátená: {creditor}",
  returnedText:
    "Vaša banka vrátila inkaso vo výške {amount}. Príjemca: {creditor}. Peniaze sú späť na vašom účte.",
  returnedByYou: "Banka uvádza, že ste o to požiadali.",
  returnedEnd: "Ak sumu ešte dlhujete, na spôsob platby sa, prosím, opýtajte príjemcu: {creditor}.",
  bankCode: "Kód banky",
};
