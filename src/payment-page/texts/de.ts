/** The payment page in German. */
import type { Texts } from "./texts.ts";

export const de: Texts = {
  title: "Zahlung an {merchant}",
  language: "Sprache",
  changeLanguage: "Ändern",
  testMode: "Testmodus: Es wird kein Geld bewegt.",
  testAccounts: "Testkonten",

  payTo: "Zahlung an {merchant}",
  details: "Einzelheiten",
  nothingDueToday: "Heute ist nichts fällig.",
  debitedFrom: "Abbuchung am oder nach dem {date}",
  trial: "Testzeitraum: {duration}",
  thenEveryFrom: "Danach {amount} {interval}, erstmals am {date}.",
  thenEvery: "Danach {amount} {interval}.",
  thenOnDemand: "{merchant} kann weitere Zahlungen einziehen, wie mit Ihnen vereinbart.",
  every: {
    WEEKLY: "jede Woche",
    BIWEEKLY: "alle zwei Wochen",
    MONTHLY: "jeden Monat",
    QUARTERLY: "alle drei Monate",
    SEMIANNUALLY: "alle sechs Monate",
    YEARLY: "jedes Jahr",
  },

  formHeading: "Mit SEPA-Lastschrift bezahlen",
  ibanLabel: "IBAN",
  ibanHint: "IBAN-Format für {country}: {count} Zeichen, beginnend mit {code}.",
  holderLabel: "Kontoinhaber/in",
  holderHint: "So, wie der Name auf Ihrem Kontoauszug steht.",
  addressHint: "Ihre Bank liegt außerhalb des Europäischen Wirtschaftsraums und verlangt Ihre Anschrift.",
  streetLabel: "Straße und Hausnummer",
  postalCodeLabel: "Postleitzahl",
  cityLabel: "Ort",
  mandateHeading: "SEPA-Lastschriftmandat",
  // What the mandate says, to mandateImplicit: a change raises TEXT_VERSIONS in ../mandate-text.ts.
  mandateAuthorise:
    "Sie ermächtigen {creditor}, Zahlungen von Ihrem Konto mittels Lastschrift einzuziehen, und weisen zugleich Ihr Kreditinstitut an, die von {creditor} auf Ihr Konto gezogenen Lastschriften einzulösen.",
  mandateRefund:
    "Sie können innerhalb von 8 Wochen, beginnend mit dem Tag der Belastung, die Erstattung des belasteten Betrags von Ihrem Kreditinstitut verlangen. Es gelten dabei die mit Ihrem Kreditinstitut vereinbarten Bedingungen.",
  businessHeading: "SEPA-Firmenlastschrift-Mandat",
  businessTerms:
    "Dieses Mandat gilt nur für Zahlungen zwischen Unternehmen. Nach der Einlösung können Sie von Ihrem Kreditinstitut keine Erstattung des belasteten Betrags verlangen; bis zum Fälligkeitstag können Sie es anweisen, die Lastschrift nicht einzulösen.",
  mandateRights:
    "Ihre Rechte sind in einem Merkblatt erläutert, das Sie von Ihrem Kreditinstitut erhalten können.",
  mandateRecurring: "Dieses Mandat gilt für wiederkehrende Zahlungen.",
  mandateOneOff: "Dieses Mandat gilt für eine einmalige Zahlung.",
  mandateDebtor: "Zahlungspflichtiger und Konto sind die, die Sie auf dieser Seite angeben.",
  creditor: "Zahlungsempfänger",
  creditorIdentifier: "Gläubiger-Identifikationsnummer",
  mandateReference: "Mandatsreferenz",
  noticePeriod: "Ankündigung vor jeder Lastschrift",
  placeAndDate: "Ort und Datum",
  mandateAccept: "Ich stimme diesem SEPA-Lastschriftmandat zu.",
  mandateImplicit: "Mit „{button}“ stimmen Sie diesem Mandat zu.",
  payButton: "{amount} bezahlen",
  signButton: "Mandat erteilen",
  sending: "Ihre Zahlung wird gesendet …",
  bankFound: "Ihre Bank: {bank}",

  errorSummary: "Bitte prüfen Sie Ihre Eingaben.",
  ibanMissing: "Geben Sie Ihre IBAN ein.",
  ibanCharacters: "Eine IBAN enthält nur die Buchstaben A bis Z und Ziffern.",
  ibanCountry: "Eine IBAN beginnt mit den zwei Buchstaben ihres Landes, zum Beispiel DE oder FR.",
  ibanOutsideSepa:
    "Dieses Konto liegt in einem Land, das die SEPA-Lastschrift nicht erreicht. Verwenden Sie ein anderes Konto.",
  ibanLength: "Für {country} hat eine IBAN {expected} Zeichen, diese hat {actual}.",
  ibanStructure: "In dieser IBAN steht ein Buchstabe, wo eine Ziffer hingehört, oder umgekehrt.",
  ibanChecksum:
    "Diese IBAN enthält einen Tippfehler. Vergleichen Sie sie mit Ihrer Karte oder Ihrem Kontoauszug.",
  ibanTypedEnding: "Ihre Eingabe endete auf {ending}.",
  holderMissing: "Geben Sie den Namen der Kontoinhaberin oder des Kontoinhabers ein.",
  holderTooLong: "Der Name darf höchstens 255 Zeichen haben.",
  cityMissing: "Geben Sie Ihren Ort ein.",
  mandateMissing: "Setzen Sie das Häkchen, um dem Mandat zuzustimmen.",

  declinedHeading: "Die Zahlung wurde abgelehnt",
  reasons: {
    insufficient_funds: "Auf dem Konto ist nicht genug Geld.",
    invalid_iban: "Ihre Bank kennt dieses Konto nicht. Prüfen Sie die IBAN.",
    mandate_rejected: "Das Mandat wurde nicht bestätigt.",
    account_closed: "Dieses Konto ist aufgelöst.",
    do_not_honor: "Ihre Bank lässt diese Lastschrift nicht zu.",
    gateway_unavailable:
      "Die Bank war nicht erreichbar. Es wurde nichts abgebucht. Bitte versuchen Sie es noch einmal.",
    unknown: "Ihre Bank hat keinen Grund genannt.",
  },
  attemptsLeft: { one: "Sie haben noch {count} Versuch.", other: "Sie haben noch {count} Versuche." },

  processingHeading: "Ihre Zahlung wird bearbeitet",
  processingText:
    "Das dauert einige Sekunden. Bitte bezahlen Sie nicht noch einmal; diese Seite zeigt das Ergebnis von selbst.",
  unclearHeading: "Wir warten auf die Bank",
  unclearText:
    "Die Bank hat noch nicht geantwortet, Ihre Zahlung kann also schon erfolgt sein. Bitte bezahlen Sie nicht noch einmal. Diese Seite zeigt das Ergebnis, sobald es feststeht, und auch {merchant} erfährt davon.",
  verifyHeading: "Bestätigen Sie die Zahlung bei Ihrer Bank",
  verifyText: "Ihre Bank bittet Sie, das Mandat zu bestätigen. Danach kommen Sie auf diese Seite zurück.",
  verifyLink: "Weiter zu Ihrer Bank",
  verifyDone: "Ich habe bestätigt",
  verifyNotYet: "Ihre Bank hat Ihre Bestätigung noch nicht erhalten.",
  verifiedElsewhere:
    "Vielen Dank. {merchant} schließt Ihre Zahlung nun ab; Sie können diese Seite schließen.",
  refresh: "Aktuellen Stand anzeigen",

  paidHeading: "Zahlung erfolgreich",
  paidText: "Vielen Dank. {merchant} hat Ihre Zahlung erhalten.",
  submittedHeading: "Zahlung eingereicht",
  submittedText: "Vielen Dank. {merchant} zieht den Betrag per SEPA-Lastschrift von Ihrem Konto ein.",
  pendingUntil: "In Bearbeitung bis",
  signedHeading: "Mandat erteilt",
  refundedHeading: "Zahlung erstattet",
  returnedHeading: "Zahlung zurückgegeben",
  returnedText: "Ihre Bank hat diese Zahlung zurückgegeben.",
  receipt: "Beleg",
  amount: "Betrag",
  date: "Datum",
  account: "Konto",
  bank: "Bank",
  accountHolder: "Kontoinhaber/in",
  orderNumber: "Bestellnummer",
  nextPayment: "Nächste Zahlung",
  statementText: "Text auf Ihrem Kontoauszug",
  print: "Drucken",
  backToMerchant: "Zurück zu {merchant}",
  leavingIn: {
    one: "In {seconds} Sekunde werden Sie dorthin geleitet.",
    other: "In {seconds} Sekunden werden Sie dorthin geleitet.",
  },
  stay: "Auf dieser Seite bleiben",

  failedHeading: "Die Zahlung ist nicht zustande gekommen",
  failedText: "Es sind keine Versuche mehr übrig. Es wurde nichts abgebucht.",
  cancelledHeading: "Diese Zahlung wurde abgebrochen",
  cancelledText: "Der Händler hat diese Zahlung beendet. Es wurde nichts abgebucht.",
  expiredHeading: "Diese Zahlungsseite ist abgelaufen",
  expiredText: "Die Zeit ist abgelaufen. Es wurde nichts abgebucht.",
  unknownHeading: "Diese Zahlung gibt es nicht",
  unknownText:
    "Bitte prüfen Sie die Adresse oder öffnen Sie noch einmal den Link, den Sie erhalten haben. Öffnet er sich dann immer noch nicht, bitten Sie den Shop, der ihn geschickt hat, um einen neuen.",
  tooFastHeading: "Einen Moment, bitte",
  tooFastText:
    "Es kamen viele Anfragen auf einmal. Falls Sie gerade bezahlt haben, bezahlen Sie bitte nicht noch einmal: Diese Seite zeigt gleich, wie es um Ihre Zahlung steht.",
  unavailableHeading: "Wir können diese Seite gerade nicht anzeigen",
  unavailableText:
    "Falls Sie gerade bezahlt haben, bezahlen Sie bitte nicht noch einmal: Ihre Zahlung geht nicht verloren. Versuchen Sie es gleich noch einmal, um zu sehen, wie es um sie steht.",
  badRequestHeading: "Das konnte nicht gelesen werden",
  badRequestText:
    "Es wurde nichts abgebucht. Bitte gehen Sie zurück zur Zahlungsseite und versuchen Sie es noch einmal.",
  backToPayment: "Zurück zur Zahlungsseite",
  askMerchant: "Bei Fragen wenden Sie sich bitte an {merchant}.",
  imprint: "Impressum",
  privacy: "Datenschutz",
  terms: "AGB",
  contact: "Kontakt",

  previewNote: "Vorschau mit Beispieldaten: Hier kann nichts bezahlt werden.",
};
