/** Bugs around retries, refunds and news: each takes money twice, or gives it away. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const RACES = "tests/money/order-races.test.ts";
const NEWS = "tests/money/gateway-news.test.ts";
const CLAIMS = "tests/claims.test.ts";
const TWICE = "tests/billing/collected-twice.test.ts";

export const AROUND_MONEY: readonly PlantedBug[] = [
  putBack(
    "a refund is claimed with its payment's state before a concurrent chargeback or refund",
    [["payments/refunds/store.ts", "\n        for no key update of t\n   ), p as (", "\n   ), p as ("]],
    [RACES, "a refund that is asked for while a chargeback of its payment commits is refused"],
    [RACES, "a refund of all that is left, asked for while another one commits, gives back the rest"],
  ),
  putBack(
    "news of a payment overtakes earlier news of it that could not be recorded",
    [["payments/news/fetch.ts", "  held.add(reference);\n", "  if (held === undefined) throw error;\n"]],
    [NEWS, "of two notices of one payment in one pass the second waits for the first"],
  ),
  putBack(
    "recovery takes an attempt whose lease another worker holds",
    [
      [
        "payments/attempt/store.ts",
        'and ${kind} and ${isFree("locked_until")}\n      order by',
        "and ${kind}\n      order by",
      ],
    ],
    [
      CLAIMS,
      "recovery does not take an attempt before its lease has ended, however far ahead its process's clock is",
    ],
  ),
  putBack(
    "a waiting retry is not stopped when an earlier attempt has paid its cycle",
    [["subscriptions/renewal-store.ts", 'and (${HAS_ENDED} or ${isPaid(":tenant")})', "and ${HAS_ENDED}"]],
    [TWICE, "the retry waits in the books when the first attempt's money comes"],
  ),
  putBack(
    "a run takes a retry whose cycle is paid",
    [["gateways/sepa-batch/outgoing/store.ts", "is null and not ${IS_NOT_OWED}", "is null"]],
    [TWICE, "the first attempt's money comes just before the cut-off"],
  ),
  putBack(
    "a renewal of a cancelled subscription goes into the next file when its own was taken back",
    [["gateways/sepa-batch/outgoing/store.ts", "and not ${IS_CANCELLED} and", "and"]],
    [
      "tests/billing/bank-account.test.ts",
      "cancelled at once: a debit in a file that is withdrawn goes into no other file, and is withdrawn within the hour",
    ],
  ),
  putBack(
    "a file with a retry whose cycle is paid goes to the bank all the same",
    [
      [
        "gateways/sepa-batch/outgoing/withdraw-unfit.ts",
        'if (notOwed) return "This file contains',
        'if (notOwed === null) return "This file contains',
      ],
    ],
    [TWICE, "the retry is in a file that was not sent"],
    [TWICE, "the retry is in a file that was downloaded"],
  ),
  putBack(
    "a retry that fails does not see that its cycle is paid",
    [
      [
        "subscriptions/renewal-store.ts",
        "where :cycleStatus in ('retry', 'failed', 'withdrawn')",
        "where :cycleStatus in ('retry', 'failed', 'withdrawn') and false",
      ],
    ],
    [TWICE, "the retry fails at the bank after the first attempt's money came"],
  ),
  putBack(
    "a retry's outcome is recorded while an earlier attempt is being reinstated",
    [["subscriptions/renewal-store.ts", "  await tx.query(HOLD_ITS_SUBSCRIPTION, { tenant, id });", ""]],
    [TWICE, "the first attempt is reinstated just before the retry's failure is followed"],
    [TWICE, "the first attempt is reinstated just before its retry is declined at once"],
  ),
  putBack(
    "reinstating looks only at the cycle whose newest attempt it is",
    [
      [
        "subscriptions/writes.ts",
        "join ${payment} t on c.transaction_id = t.id or c.cycle = t.cycle",
        "join ${payment} t on c.transaction_id = t.id",
      ],
    ],
    [TWICE, "after two failed attempts the first one's money arrives"],
  ),
  putBack(
    "a retried cycle takes the subscription's new amount",
    [
      [
        "subscriptions/due-store.ts",
        "coalesce(before.amount, u.billing_amount), u.currency",
        "u.billing_amount, u.currency",
      ],
    ],
    ["tests/billing/change.test.ts", "a new amount applies from the next cycle"],
  ),
  putBack(
    "a renewal does not name its cycle",
    [
      [
        "subscriptions/due-store.ts",
        "coalesce(before.amount, u.billing_amount), u.currency, :cycle::integer`",
        "coalesce(before.amount, u.billing_amount), u.currency, null`",
      ],
    ],
    [TWICE, "the retry waits in the books when the first attempt's money comes"],
    [TWICE, "the retry has left for the bank"],
  ),
  putBack(
    "a cycle that is collected twice is not reported",
    [["subscriptions/store.ts", `COLLECTS = "('approved', 'pending')"`, `COLLECTS = "('submitted')"`]],
    [TWICE, "the retry has left for the bank"],
  ),
  // A seed found it when it was in the service; some 600 have not since.
  putBack(
    "a reinstatement that changed nothing is forgotten",
    [
      [
        "payments/news/apply.ts",
        'if (move !== "reinstate" && round > row.reinstatements) await',
        'if (move !== "reinstate" && round > row.reinstatements + 9) await',
      ],
    ],
    [
      "tests/money/notices.test.ts",
      "a chargeback entered by hand stands, however often the gateway repeats a reinstatement from before it",
    ],
  ),
];
