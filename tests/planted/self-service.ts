/** Small defects on the page of a customer's account. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const TESTS = "tests/self-service/account.test.ts";

export const AROUND_SELF_SERVICE: readonly PlantedBug[] = [
  putBack(
    "a customer ends another one's subscription",
    [["payment-page/account/store.ts", "u.lead_id = :leadId and u.id = :id", "u.id = :id"]],
    [TESTS, "the page shows the customer's records only with the link"],
  ),
  putBack(
    "a customer changes another one's account",
    [["payment-page/account/store.ts", "m.lead_id = :leadId and m.status", "m.status"]],
    [TESTS, "the page shows the customer's records only with the link"],
  ),
  putBack(
    "a link to an account works for ever",
    [["payment-page/account/routes.ts", "expiresAt <= deps.clock.now()", "expiresAt.getTime() === 0"]],
    [TESTS, "a link needs the scope billing and a customer of the same tenant, and works until its expiry"],
  ),
  putBack(
    "a subscription that its customer ends twice is reported twice",
    [["subscriptions/manage.ts", "if (atPeriodEnd && row.cancel_at_period_end) return;", ""]],
    [
      TESTS,
      "a subscription that its customer cancels continues until the end of its period, and the merchant gets one event",
    ],
  ),
  putBack(
    "an account is changed without a tick",
    [["payment-page/account/change.ts", "if (!input.isAccepted) return faults;", ""]],
    [TESTS, "an account that cannot be debited, or a missing tick, changes nothing"],
  ),
  putBack(
    "accounts that are tried on the account page do not count",
    [
      [
        "payment-page/account/change.ts",
        "  await countAccount(deps, input, deps.keys.fingerprints(tenant, checked.iban)[0]);\n",
        "",
      ],
    ],
    [TESTS, "a customer can try as many accounts as the tenant allows, on all of their links together"],
  ),
];
