/** Sentences of the test mode, in German. */
import type { TestModeTexts } from "./test-mode.ts";

export const testModeTexts: TestModeTexts = {
  tryThings: "Uhr und Szenarien",
  clock: "Uhr",
  clockWhat:
    "Die eigene Zeit Ihrer Firma. Zahlungssitzungen, Folgezahlungen, neue Versuche und die Sandbox folgen ihr; sie geht nur vorwärts.",
  clockSays: "Es ist {time}.",
  aDay: "Einen Tag weiter",
  aWeek: "Eine Woche weiter",
  toNextDue: "Weiter zur nächsten Fälligkeit, {day}",
  toNextCutOff: "Weiter zum Annahmeschluss der Bank, {time}",
  clockDone: "Die Uhr ist vorgestellt, und was fällig wurde, ist erledigt.",
  clockWrong: "Die Uhr lässt sich höchstens 20 Jahre vorstellen.",
  play: "Eine Zahlung durchspielen",
  playWhat: "Legt die Zahlung eines Beispielkunden an, mit dem Testkonto des Szenarios.",
  scenarioPaid: "Bezahlt",
  scenarioDeclined: "Abgelehnt",
  scenarioReturned: "Zurückgegeben, {days} Tage später",
  scenarioChargedBack: "Zurückgebucht, {days} Tage später",
  scenarioReceiverDown: "Bezahlt, Empfänger gestört",
  scenariosWhat:
    "Ein Klick genügt. Ist der Empfänger gestört, schlägt der Webhook der Zahlung an ein eigenes Profil zweimal fehl und kommt etwa eine Minute später an: Das Zustellprotokoll zeigt jeden Versuch.",
  comeBackWrong:
    "Die Sandbox lässt eine Zahlung zurückkommen, die offen oder bezahlt ist und von der nichts erstattet wurde. Das gilt für diese nicht.",
  playNow: "Durchspielen",
  scenario: "Szenario",
  once: "Einmal",
  noSandbox: "Kein Gateway der Sandbox",
  noSandboxHint: "Szenarien brauchen ein Gateway der Sandbox. Legen Sie es in der Einrichtung an.",
  tick: "Jetzt buchen",
  tickWhat:
    "Einmal je Minute zieht die Sandbox in einem Buchungslauf ein, gibt zurück und bucht zurück. Hier beginnt er sofort.",
  tickDone: "Eingezogen: {settled}, zurückgegeben: {returned}, zurückgebucht: {charged}.",
};
