/** The test IBANs of the sandbox, to be copied. Pure but for its route. */
import { html } from "../../files/html.ts";
import { TEST_ACCOUNTS, type Scenario } from "../../gateways/sandbox/scenarios.ts";
import { heading } from "../design/blocks.ts";
import { table } from "../design/table.ts";
import { copyableReference } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { response } from "../pages/listed.ts";
import { filled } from "../../payment-page/render/wording.ts";
import type { Words } from "../words.ts";
import { ACCOUNTS_PATH, developerTabs } from "./tabs.ts";

/** Declares the page. */
export function testAccountPages(console: ConsoleRouter): void {
  console.get(ACCOUNTS_PATH, "developers.read", {
    summary: "Test accounts",
    schema: { response },
    handle: (call) => {
      const { words } = call;
      const { say } = words;
      const rows = TEST_ACCOUNTS.map(([iban, scenario]) => [
        copyableReference(words, iban),
        scenarioName(words, scenario),
      ]);
      const columns = [{ title: "IBAN", as: "short" }, { title: say("whatHappens") }] as const;
      const body = html`${heading(say("testAccounts"), { lead: say("testAccountsWhat") })}
        ${developerTabs(words, call.person, ACCOUNTS_PATH)}
        <section class="panel">${table(say("testAccounts"), columns, rows)}</section>`;
      return call.page(say("testAccounts"), body, { headed: true });
    },
  });
}

/** The text of a test account's scenario. */
export function scenarioName(words: Words, scenario: Scenario): string {
  const pattern = words.texts.scenarios[scenario.kind] ?? scenario.kind;
  if (scenario.kind !== "decline") return pattern;
  const { code } = scenario;
  const known = words.texts.reasons[code];
  return filled(pattern, { reason: known === undefined ? code : `${known} (${code})` });
}
