/** Sentences of the pages for developers, in German. */
import type { DeveloperTexts } from "./developers.ts";

export const developers: DeveloperTexts = {
  apiKeys: "API-Schlüssel",
  newApiKey: "Neuer API-Schlüssel",
  noApiKeys: "Keine API-Schlüssel",
  noApiKeysHint:
    "Ihre Server rufen die API mit einem Schlüssel auf. Legen Sie für jeden einen an, mit nicht mehr Rechten als nötig.",
  keyOnce:
    "Kopieren Sie den Schlüssel jetzt: Er wird nicht noch einmal gezeigt. Wer ihn hat, kann alles, was er darf.",
  begins: "Beginnt mit",
  ends: "Endet",
  revoke: "Widerrufen",
  revokeWhat: "Er funktioniert ab sofort nirgends mehr, und das bleibt so.",
  revoked: "Widerrufen",
  expired: "Beendet",
  rotate: "Ersetzen",
  rotateWhat: "Ein neuer Schlüssel unter demselben Namen. Der alte gilt so lange, wie Sie wählen.",
  overlap: "Der alte Schlüssel gilt",
  overlaps: {
    "0": "ab sofort nicht mehr",
    "3600": "noch eine Stunde",
    "86400": "noch einen Tag",
    "604800": "noch eine Woche",
  },

  webhooks: "Webhooks",
  newWebhook: "Neues Webhook-Profil",
  noWebhooks: "Keine Webhook-Profile",
  noWebhooksHint: "Ein Profil sagt, wohin Ereignisse gesendet werden, welche und mit welchen Feldern.",
  secretOnce:
    "Kopieren Sie das Signaturgeheimnis jetzt: Es wird nicht noch einmal gezeigt. Ihr Empfänger prüft damit die Signatur.",
  newSecret: "Neues Geheimnis",
  newSecretWhat:
    "Das neue Geheimnis gilt sofort. 24 Stunden lang signiert das alte auch, in X-Service-Signature-Previous.",
  switchedOff: "Ausgeschaltet",
  tryIt: "Test senden",
  tryWhat: "Sendet jetzt ein Beispiel. Keine Bestellung hat seine Nummer.",
  tryDone: "Der Empfänger antwortete {code} nach {time} ms.",
  tryFailed: "Der Empfänger gab keine Antwort: {error}",
  receiver: "Empfänger",

  deliveries: "Zustellungen",
  noDeliveries: "Noch keine Zustellungen",
  noDeliveriesHint:
    "Hier steht jedes Ereignis, das ein Webhook-Profil verlangt, mit jeder Antwort des Empfängers.",
  event: "Ereignis",
  answer: "Antwort",
  lastTry: "Letzter Versuch",
  nextTry: "Nächster Versuch",
  delivered: "Zugestellt",
  everyTry: "Alle Versuche",
  notTried: "Der erste Versuch steht noch aus.",
  took: "Dauer",
  milliseconds: "{number} ms",
  payload: "Was gesendet wird",
  sendAgain: "Noch einmal senden",
  sendAgainDone: "Es wird jetzt noch einmal gesendet.",
  sendAllAgain: "Alle noch einmal senden",
  sendAllWhat:
    "Alle, die passen, die ältesten zuerst, mit denselben Kennungen und Inhalten: Ein Empfänger, der eine schon hat, erkennt sie.",
  sendAllSince: "Entstanden ab",
  failedOnes: "Fehlgeschlagen oder aufgegeben",
  sentAgain: {
    one: "{number} Zustellung wird noch einmal gesendet.",
    other: "{number} Zustellungen werden noch einmal gesendet.",
  },

  doctor: "Signatur prüfen",
  doctorWhat:
    "Fügen Sie ein, was Ihr Empfänger bekommen hat. Die Prüfung kennt das Geheimnis des Profils und sagt, welcher Teil falsch ist. Nichts davon wird aufbewahrt.",
  doctorHeaders: "Kopfzeilen",
  doctorHeadersHint: "Mindestens X-Service-Signature, eine je Zeile.",
  doctorBody: "Inhalt",
  doctorBodyHint: "Genau so, wie er ankam, vor jeder Verarbeitung.",
  doctorExamine: "Prüfen",
  doctorSays: "Ergebnis",
  doctorNoProfile: "Geprüft werden Anfragen an ein Webhook-Profil. Legen Sie zuerst eines an.",

  testAccounts: "Testkonten",
  testAccountsWhat:
    "Mit einem Gateway der Sandbox spielt jede dieser IBANs einen Verlauf einer Zahlung. Jede andere gültige IBAN wird eingezogen.",
  whatHappens: "Was geschieht",
  scenarios: {
    approve: "Eingezogen",
    charge_back: "Eingezogen, beim nächsten Takt zurückgegeben",
    settle_later: "Angenommen, beim nächsten Takt eingezogen",
    return_later: "Angenommen, beim nächsten Takt zurückgegeben",
    unreachable: "Das Gateway ist nicht erreichbar",
    slow: "Die Antwort dauert drei Sekunden",
    answer_lost: "Eingezogen, aber die Antwort geht verloren",
    not_charged: "Nicht eingezogen, und die Antwort geht verloren",
    rebill_fails_first: "Eingezogen; der erste Versuch einer Verlängerung scheitert",
    verify: "Der Kunde bestätigt das Mandat bei der Bank",
    verify_fails: "Der Kunde wird zur Bank geschickt, die ablehnt",
    decline: "Abgelehnt: {reason}",
  },
};
