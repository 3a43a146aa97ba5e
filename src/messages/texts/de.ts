/** Messages in German. */
import type { MessageTexts } from "./texts.ts";

export const de: MessageTexts = {
  greeting: "Guten Tag {name},",
  greetingUnnamed: "Guten Tag,",
  mandateSubject: "Ihr SEPA-Lastschriftmandat für {creditor}",
  mandateText:
    "Vielen Dank. Sie haben {creditor} ein SEPA-Lastschriftmandat erteilt. Es liegt dieser Nachricht bei; bitte bewahren Sie es auf.",
  debitDay: "Abbuchung am oder nach dem",
  noticeSubject: "Lastschrift über {amount} am {date}",
  noticeText:
    "{creditor} bucht {amount} am {date} von Ihrem Konto ab, oder am ersten Bankarbeitstag danach. Bitte sorgen Sie für ausreichende Deckung.",
  noticeRepeats:
    "Danach {amount} {interval}. Wir informieren Sie erneut, wenn sich Betrag, Tag oder Mandat ändern.",
  receiptSubject: "Beleg: {amount} an {creditor}",
  receiptText: "{creditor} hat Ihre Zahlung über {amount} erhalten. Vielen Dank.",
  failedSubject: "Ihre Zahlung über {amount} an {creditor} wurde nicht ausgeführt",
  failedText: "Ihre Bank hat die Lastschrift von {creditor} über {amount} nicht ausgeführt.",
  failedAgain: "Der Einzug wird am {date} wiederholt. Bitte sorgen Sie bis dahin für ausreichende Deckung.",
  failedEnd:
    "Der Einzug wird nicht automatisch wiederholt. Bitte fragen Sie {creditor}, wie Sie zahlen können.",
  failedPay: "Sobald der Grund behoben ist, können Sie den Betrag hier noch einmal abbuchen lassen:",
  returnedSubject: "Ihre Zahlung über {amount} an {creditor} wurde zurückgegeben",
  returnedText:
    "Ihre Bank hat die Lastschrift von {creditor} über {amount} zurückgegeben: Das Geld ist wieder auf Ihrem Konto.",
  returnedByYou: "Ihre Bank gibt an, dass Sie dies verlangt haben.",
  returnedEnd: "Wenn Sie den Betrag noch schulden, fragen Sie bitte {creditor}, wie Sie zahlen können.",
  bankCode: "Rückgabecode der Bank",
};
