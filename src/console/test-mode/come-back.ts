/** On the page of a sandbox payment: a button that returns it, as if it had been made with another test account. */
import type { Deps } from "../../deps.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import { comesBackAs } from "../../gateways/sandbox/store.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { csrfField } from "../csrf.ts";
import { panel } from "../design/blocks.ts";
import type { Words } from "../words.ts";
import { COMES_BACK_DAYS, TEST_MODE_PATH } from "./test-mode-page.ts";

/**
 * The button: a pending payment can be returned, a paid one charged back, as long as no part of it is refunded. Empty
 * for any other payment.
 */
export async function comeBackPanel(
  { db, environment }: Pick<Deps, "db" | "environment">,
  { words, csrf, tenant }: { readonly words: Words; readonly csrf: string; readonly tenant: number },
  payment: ListedTransaction,
): Promise<Html> {
  if (environment !== "staging") return NOTHING;
  const as = await comesBackAs(db, tenant, payment.merchant_transaction_id);
  if (as === null) return NOTHING;
  const name = as === "returned" ? "scenarioReturned" : "scenarioChargedBack";
  return panel(
    words.say("tryThings"),
    html`<form class="in" method="post" action="${TEST_MODE_PATH}come-back/">
      ${csrfField(csrf)} <input type="hidden" name="payment" value="${payment.id}" />
      <button>${words.say(name, { days: COMES_BACK_DAYS })}</button>
    </form>`,
  );
}
