/**
 * Return codes: the action that follows each, the tenant's choice, and the effect that it would have had in the last 90
 * days.
 */
import type { Deps } from "../../deps.ts";
import type { Answer } from "../../http/endpoint.ts";
import { html, type Html } from "../../files/html.ts";
import { cents, centsFromDatabase, formatAmount } from "../../lib/money.ts";
import { patchRecord } from "../../management/resource-write.ts";
import {
  DAYS_BACK,
  returnRuleFigures,
  type RuleFigures,
  type RulesTried,
} from "../../reports/statistics/return-rules.ts";
import { RETURN_ACTIONS, type ReturnAction, type ReturnRules } from "../../sepa/reasons.ts";
import { findOwnTenant } from "../../tenants/store.ts";
import { tenantKind } from "../../tenants/tenant.ts";
import { seeOther } from "../answer.ts";
import { csrfField } from "../csrf.ts";
import { callout, facts, heading, panel, toast } from "../design/blocks.ts";
import { table } from "../design/table.ts";
import { reason } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyQuery, response } from "../pages/listed.ts";
import { valueName } from "../records/names.ts";
import { personTarget, formErrorsOf, type RecordCall, type FormErrors } from "../records/routes.ts";
import { seenField, seenIn } from "../seen.ts";
import type { Words } from "../words.ts";
import { RETURN_RULES_PATH, setupTabs } from "./tabs.ts";

/** Declares the page. */
export function returnRulePages(console: ConsoleRouter, deps: Deps): void {
  console.get(RETURN_RULES_PATH, "settings.read", {
    summary: "Return codes",
    schema: { query: AnyQuery, response },
    handle: (call) => show(deps, call, { isDone: call.query["done"] === "save" }),
  });

  console.post(RETURN_RULES_PATH, "tenant.write", {
    summary: "Try or save what follows return codes",
    schema: { body: AnyForm, response },
    async handle(call) {
      const { body, person } = call;
      const tried = rulesIn(body);
      if (body["act"] !== "save") return show(deps, call, { tried });
      const { id } = await findOwnTenant(deps.db, person.tenant);
      try {
        const changes = { return_rules: tried };
        await patchRecord(deps, tenantKind, personTarget(call, id), changes, seenIn(body));
      } catch (error) {
        return show(deps, call, { ...formErrorsOf(call.words, error), tried });
      }
      return seeOther(`${RETURN_RULES_PATH}?done=save`);
    },
  });
}

/** The chosen rules; a default value is not a choice. */
function rulesIn(form: Readonly<Record<string, string>>): ReturnRules {
  const chosen = Object.entries(form).flatMap(([name, value]): [string, ReturnAction][] => {
    const action = RETURN_ACTIONS.find((one) => one === value);
    return name.startsWith("rule.") && action !== undefined ? [[name.slice("rule.".length), action]] : [];
  });
  return Object.fromEntries(chosen);
}

interface Shown extends FormErrors {
  /** Rules to try; otherwise the tenant's. */
  readonly tried?: ReturnRules;
  readonly isDone?: boolean;
}

async function show(deps: Pick<Deps, "db" | "time">, call: RecordCall, shown: Shown): Promise<Answer> {
  const { words, person, csrf } = call;
  const { say } = words;
  const { tenant } = person;
  const row = await findOwnTenant(deps.db, tenant);
  const rules = row.return_rules as ReturnRules;
  const now = deps.time.now(tenant);
  const tried = await returnRuleFigures(deps.db, tenant, now, rules, shown.tried ?? rules);
  const wrong = shown.problem ?? Object.values(shown.faults ?? {})[0] ?? null;
  const mayChange = call.may("tenant.write");
  const came = tried.codes.filter(({ returns }) => returns > 0);
  const others = tried.codes.filter(({ returns }) => returns === 0);
  const rows = html`<div class="in stack">
      <p class="soft">${say("returnRulesWhat", { days: String(DAYS_BACK) })}</p>
      ${wrong !== null && callout("bad", wrong)}
      ${shown.tried !== undefined && wrong === null && whatIf(words, tried)}
    </div>
    ${came.length > 0 ? rulesTable(words, came, mayChange, true) : html`<p class="in soft">${say("noReturns")}</p>`}
    ${tried.asOf !== null && html`<p class="in soft">${say("asOf", { time: words.time(tried.asOf) })}</p>`}
    <details class="in">
      <summary>${say("otherCodes")}</summary>
      ${rulesTable(words, others, mayChange, false)}
    </details>`;
  const body = html`${heading(say("returnRules"), { lead: row.name })}
  ${setupTabs(words, person, RETURN_RULES_PATH)}
  ${panel(
    say("returnRules"),
    mayChange
      ? html`<form class="wide" method="post" action="${RETURN_RULES_PATH}">
          ${csrfField(csrf)} ${seenField(row.updated_at)} ${rows}
          <div class="form-acts in">
            <button name="act" value="try">${say("tryRules")}</button>
            <button class="main" name="act" value="save">${say("save")}</button>
          </div>
        </form>`
      : rows,
  )}
  ${shown.isDone === true && toast(say("saveDone"))}`;
  return call.page(say("returnRules"), body, { headed: true, status: wrong === null ? 200 : 422 });
}

/** The effect that the tried rules would have had, over all codes. */
function whatIf(words: Words, { codes, triedAfter, isAtLeast }: RulesTried): Html {
  const { say } = words;
  const sum = (of: (one: RuleFigures) => number) =>
    words.number(codes.reduce((total, one) => total + of(one), 0));
  const came = Map.groupBy(
    codes.filter(({ currency }) => currency !== null),
    (one) => one.currency ?? "EUR",
  );
  const brought = [...came].map(([currency, of]) => {
    const total = of.reduce((before, one) => before + centsFromDatabase(one.not_collected), 0);
    return words.money(formatAmount(cents(total)), currency);
  });
  return callout(
    "attention",
    html`<p>
        ${triedAfter === null ? say("whatIfDone", { days: String(DAYS_BACK) }) : say("whatIfSince", { time: words.time(triedAfter) })}
        ${isAtLeast && say("whatIfAtLeast")}
      </p>
      ${facts([
        [say("notMade"), sum(({ not_made: count }) => count)],
        [say("notCollected"), brought.length === 0 ? words.money("0.00", "EUR") : brought.join(", ")],
        [say("moreTries"), sum(({ tried_again: count }) => count)],
        [say("mandatesEnded"), sum(({ mandates_ended: count }) => count)],
        [say("accountsBlocked"), sum(({ accounts_blocked: count }) => count)],
      ])}`,
  );
}

function rulesTable(
  words: Words,
  figures: readonly RuleFigures[],
  mayChange: boolean,
  withFigures: boolean,
): Html {
  const { say } = words;
  const came = ({ returns, amount, currency }: RuleFigures) =>
    `${words.number(returns)} (${words.money(amount, currency ?? "EUR")})`;
  return table(
    say("returnRules"),
    [
      { title: say("returnCode") },
      ...(withFigures ? ([{ title: say("returned"), as: "number spare" }] as const) : []),
      { title: say("whatFollows") },
    ],
    figures.map((one, at) => [
      html`${reason(words, one.code)}${withFigures && html` <span class="narrow soft">${came(one)}</span>`}`,
      ...(withFigures ? [html`${came(one)}`] : []),
      // A code has one choice, whatever the currencies of its returns.
      mayChange && figures.findIndex(({ code }) => code === one.code) === at
        ? choice(words, one)
        : valueName(words, one.action_then),
    ]),
  );
}

/** The default is an empty value, which is omitted from the tenant's rules. */
function choice(words: Words, { code, default_action, allowed_actions, action_then }: RuleFigures): Html {
  const { say } = words;
  const name = `rule.${code}`;
  const label = `${say("whatFollows")}: ${code}`;
  return html`<select name="${name}" aria-label="${label}">
    ${allowed_actions.map((action) => {
      const isDefault = action === default_action;
      const text = isDefault
        ? say("asDefault", { what: valueName(words, action) })
        : valueName(words, action);
      return html`<option value="${isDefault ? "" : action}" ${action === action_then && html` selected`}>
        ${text}
      </option>`;
    })}
  </select>`;
}
