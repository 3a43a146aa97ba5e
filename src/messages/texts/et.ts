/** Messages in Estonian. */
import type { MessageTexts } from "./texts.ts";

export const et: MessageTexts = {
  greeting: "Tere, {name}!",
  greetingUnnamed: "Tere!",
  mandateSubject: "Teie SEPA otsekorralduse nõusolek: {creditor}",
  mandateText:
    "Täname. Olete andnud SEPA otsekorralduse nõusoleku. Makse saaja: {creditor}. Nõusolek on lisatud kirjale; palun hoidke see alles.",
  debitDay: "Debiteeritakse kõige varem",
  noticeSubject: "Otsekorraldus {amount}, {date}",
  noticeText:
    "{creditor} debiteerib teie kontolt {amount}. Kuupäev: {date} või sellele järgnev esimene pankade tööpäev. Palun hoolitsege, et kontol oleks piisavalt raha.",
  noticeRepeats: "Seejärel {amount} {interval}. Anname uuesti teada, kui summa, päev või nõusolek muutub.",
  receiptSubject: "Kviitung: {amount}, {creditor}",
  receiptText: "{creditor} on teie makse summas {amount} kätte saanud. Täname.",
  failedSubject: "Teie makset summas {amount} ei tehtud: {creditor}",
  failedText: "Teie pank ei täitnud otsekorraldust summas {amount}. Makse saaja: {creditor}.",
  failedAgain: "Uue katse kuupäev: {date}. Palun hoolitsege, et selleks ajaks oleks kontol piisavalt raha.",
  failedEnd: "Automaatselt uuesti ei proovita. Küsige makseviisi kohta: {creditor}.",
  failedPay: "Kui põhjus on kõrvaldatud, saate lasta summa siin uuesti debiteerida:",
  returnedSubject: "Teie makse summas {amount} tagastati: {creditor}",
  returnedText:
    "Teie pank on tagastanud otsekorralduse summas {amount}. Makse saaja: {creditor}. Raha on taas teie kontol.",
  returnedByYou: "Panga teatel palusite seda teie.",
  returnedEnd: "Kui olete summa veel võlgu, küsige makseviisi kohta: {creditor}.",
  bankCode: "Panga kood",
};
