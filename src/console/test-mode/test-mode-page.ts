/** The test mode's page: the company's clock, and simulated payments. Pure. */
import { html, type Html } from "../../files/html.ts";
import { TEST_ACCOUNTS } from "../../gateways/sandbox/scenarios.ts";
import { csrfField } from "../csrf.ts";
import { callout, empty, heading, panel, toast } from "../design/blocks.ts";
import { formActs, input, select, type Option } from "../design/fields.ts";
import { scenarioName } from "../developers/test-account-routes.ts";
import type { Words } from "../words.ts";

export const TEST_MODE_PATH = "/console/test-mode/";
/** A value of a scenario's field `receiver`: the test receiver is down when the payment's webhook is delivered. */
export const RECEIVER_DOWN = "down";
/** The number of days between requesting a return or chargeback and its arrival. */
export const COMES_BACK_DAYS = 5;

/** The input of the form of a payment. */
export interface TestPaymentInput {
  readonly gateway: string;
  readonly iban: string;
  readonly amount: string;
  readonly frequency: string;
}

/** The time to which the clock can be moved: a day on which something is due, or a bank's cut-off. */
export interface NextDue {
  readonly at: Date;
  /** Null for a cut-off. */
  readonly day: string | null;
}

interface TestModePage {
  readonly words: Words;
  readonly csrf: string;
  readonly now: Date;
  /** Null if nothing is due within 30 days. */
  readonly nextDue: NextDue | null;
  /** The sandbox gateways. */
  readonly gateways: readonly Option[];
  readonly played: TestPaymentInput;
  readonly problem: string | null;
  readonly done: string | null;
}

export function testModePage(page: TestModePage): Html {
  const { words, problem, done } = page;
  return html`${heading(words.say("tryThings"), { lead: words.say("testMode") })}
    ${problem !== null && callout("bad", problem)}
    <div class="halves">${clockPanel(page)} ${playPanel(page)}</div>
    ${done !== null && toast(done)}`;
}

function clockPanel({ words, csrf, now, nextDue }: TestModePage): Html {
  const { say } = words;
  const move = (by: string, label: string) =>
    html`<form method="post" action="${TEST_MODE_PATH}clock/">
      ${csrfField(csrf)} <input type="hidden" name="by" value="${by}" /><button>${label}</button>
    </form>`;
  return panel(
    say("clock"),
    html`<div class="in">
      <p class="figure">${say("clockSays", { time: words.time(now) })}</p>
      <p class="soft">${say("clockWhat")}</p>
      <div class="form-acts">
        ${move("day", say("aDay"))} ${move("week", say("aWeek"))}
        ${nextDue !== null && move("due", dueWords(words, nextDue))}
      </div>
      <form method="post" action="${TEST_MODE_PATH}tick/" class="apart">
        ${csrfField(csrf)}
        <p class="soft">${say("tickWhat")}</p>
        ${formActs(say("tick"), "")}
      </form>
    </div>`,
  );
}

function dueWords(words: Words, { at, day }: NextDue): string {
  return day === null
    ? words.say("toNextCutOff", { time: words.time(at) })
    : words.say("toNextDue", { day: words.day(day) });
}

/**
 * The scenarios with one click: a test account, the number of days that pass after the payment, and the test receiver's
 * state.
 */
const SCENARIOS = [
  ["scenarioPaid", "DE89370400440532013000", 0, ""],
  ["scenarioDeclined", "DE34370400440532013020", 0, ""],
  ["scenarioReturned", "DE78370400440532013004", COMES_BACK_DAYS, ""],
  ["scenarioChargedBack", "DE35370400440532013002", COMES_BACK_DAYS, ""],
  ["scenarioReceiverDown", "DE89370400440532013000", 0, RECEIVER_DOWN],
] as const;

function scenarioButtons({ words, csrf, played }: TestModePage): Html {
  return html`<div class="in">
    <p class="soft">${words.say("scenariosWhat")}</p>
    <div class="form-acts">
      ${SCENARIOS.map(
        ([name, iban, days, receiver]) =>
          html`<form method="post" action="${TEST_MODE_PATH}play/">
            ${csrfField(csrf)} <input type="hidden" name="iban" value="${iban}" />
            <input type="hidden" name="amount" value="${played.amount}" />
            <input type="hidden" name="days" value="${days}" />
            <input type="hidden" name="receiver" value="${receiver}" />
            <button>${words.say(name, { days })}</button>
          </form>`,
      )}
    </div>
  </div>`;
}

function playPanel(page: TestModePage): Html {
  const { words, gateways } = page;
  const { say } = words;
  if (gateways.length === 0) return panel(say("play"), empty(say("noSandbox"), say("noSandboxHint")));
  return panel(say("play"), html`${scenarioButtons(page)} ${playForm(page)}`);
}

function playForm({ words, csrf, gateways, played }: TestModePage): Html {
  const { say } = words;
  return html`<form class="in" method="post" action="${TEST_MODE_PATH}play/">
    ${csrfField(csrf)}
    <p class="soft">${say("playWhat")}</p>
    ${select(
      { name: "iban", label: say("scenario"), value: played.iban },
      TEST_ACCOUNTS.map(([iban, scenario]) => [iban, scenarioName(words, scenario)]),
    )}
    ${input({ name: "amount", label: `${say("amount")} (EUR)`, value: words.typedAmount(played.amount), inputMode: "decimal" })}
    ${select({ name: "frequency", label: say("frequency"), value: played.frequency }, [
      ["", say("once")],
      ["WEEKLY", words.texts.frequencies["WEEKLY"] ?? ""],
      ["MONTHLY", words.texts.frequencies["MONTHLY"] ?? ""],
    ])}
    ${select({ name: "gateway", label: say("gateway"), value: played.gateway }, gateways)}
    ${formActs(say("playNow"))}
  </form>`;
}
