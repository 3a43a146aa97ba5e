/** Sentences of the test mode, in English. */
import type { TestModeTexts } from "./test-mode.ts";

export const testModeTexts: TestModeTexts = {
  tryThings: "Clock and scenarios",
  clock: "Clock",
  clockWhat:
    "Your company's own time. Sessions, renewals, retries and the sandbox follow it; it only goes forward.",
  clockSays: "It is {time}.",
  aDay: "A day on",
  aWeek: "A week on",
  toNextDue: "On to the next due date, {day}",
  clockDone: "Time has moved, and what fell due is done.",
  clockWrong: "The clock goes no further than 20 years ahead.",
  play: "Play a payment",
  playWhat: "Makes a payment of a sample customer, with the test account of the scenario.",
  playNow: "Play",
  scenario: "Scenario",
  once: "Once",
  noSandbox: "No gateway of the sandbox",
  noSandboxHint: "Scenarios are played with a gateway of the sandbox. Make one in the setup.",
  tick: "Settle now",
  tickWhat: "The sandbox settles, returns and charges back once a minute. This does it now.",
  tickDone: "Collected: {settled}, returned: {returned}, charged back: {charged}.",
};
