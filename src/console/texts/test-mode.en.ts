/** Sentences of the test mode, in English. */
import type { TestModeTexts } from "./test-mode.ts";

export const testModeTexts: TestModeTexts = {
  tryThings: "Clock and scenarios",
  clock: "Clock",
  clockWhat:
    "Your company's own time. Sessions, renewals, retries and the sandbox follow it; it only goes forward.",
  clockSays: "It is {time}.",
  aDay: "One day ahead",
  aWeek: "One week ahead",
  toNextDue: "To the next due date, {day}",
  toNextCutOff: "To the bank's cut-off, {time}",
  clockDone: "The clock has moved, and everything that fell due is done.",
  clockWrong: "The clock can be at most 20 years ahead.",
  play: "Play a payment",
  playWhat: "Makes a sample customer's payment with the scenario's test account.",
  scenarioPaid: "Paid",
  scenarioDeclined: "Declined",
  scenarioReturned: "Returned {days} days later",
  scenarioChargedBack: "Charged back {days} days later",
  scenarioReceiverDown: "Paid, receiver down",
  scenariosWhat:
    "One click each. With the receiver down, the payment's webhook to a profile of its own fails twice and arrives about a minute later: the delivery log shows each try.",
  comeBackWrong:
    "The sandbox lets a payment come back that is pending or paid, and of which nothing was refunded. This one is not.",
  playNow: "Play",
  scenario: "Scenario",
  once: "Once",
  noSandbox: "No gateway of the sandbox",
  noSandboxHint: "Scenarios are played with a gateway of the sandbox. Create one in the setup.",
  tick: "Settle now",
  tickWhat: "The sandbox settles, returns and charges back once a minute. This does it now.",
  tickDone: "Collected: {settled}, returned: {returned}, charged back: {charged}.",
};
