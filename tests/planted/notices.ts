/** Small defects in notices of renewals. */
import type { PlantedBug } from "../simulation/planted.ts";
import { guarded, putBack } from "./guarded.ts";

const TESTS = "tests/messages/notices.test.ts";

/** The simulation finds it by MANDATE-8. */
export const PLANTED_IN_NOTICES: readonly PlantedBug[] = [
  guarded(
    {
      name: "a renewal is collected before its customer was notified",
      changes: [
        {
          file: "messages/notice-conditions.ts",
          from: "n.notice_check <> 'refuse'\n",
          to: "n.notice_check <> 'stop'\n",
        },
      ],
      sql: "",
    },
    [TESTS, "a renewal waits until its notice was sent"],
    [TESTS, "a message that cannot be sent is tried once in a notice period"],
  ),
];

const PUT_RIGHT = "tests/messages/put-right.test.ts";

export const AROUND_NOTICES: readonly PlantedBug[] = [
  putBack(
    "a notice holds for later renewals although the subscription's day was moved",
    [["messages/notice-conditions.ts", "`${IS_LATEST_NOTICE}\n      and x.mandate_id", "`x.mandate_id"]],
    [
      TESTS,
      "a customer who was notified of a renewal is notified again when its day is moved to a later one",
    ],
    [
      TESTS,
      "a customer who was notified of later renewals with the first is notified again when one is moved",
    ],
    [TESTS, "a day that is moved away and back is announced each time"],
  ),
  putBack(
    "the books take a notice of a day that was moved",
    [["books/mandates-store.ts", "(c.created_at <= n.notice_check_since or ${OF_CYCLE})", "true"]],
    [TESTS, "the books report a debit on a moved day if the customer was notified of the old day only ("],
    [TESTS, "the books report a debit whose day was moved away and back"],
  ),
  putBack(
    "the newest notice is that of the instance whose clock is ahead",
    [
      [
        "subscriptions/announce-store.ts",
        "greatest(:now, before.newest + interval '1 millisecond')",
        "least(:now, before.newest + interval '1 day')",
      ],
    ],
    [TESTS, "a customer is notified once of another amount although the clock of the instance"],
  ),
  putBack(
    "a notice holds although a newer one has named another amount",
    [["messages/notice-conditions.ts", " or newer.amount <> x.amount\n", "\n"]],
    [TESTS, "a customer who was notified of another amount is notified again when it is changed back"],
  ),
  putBack(
    "another day of the same debit is not announced because an earlier one was",
    [["subscriptions/announce-store.ts", "row.is_written && row.announced_day === null", "row.is_written"]],
    [
      "tests/billing/renewal-dates.test.ts",
      "a customer who was notified of a renewal's day is notified again",
    ],
  ),
  putBack(
    "a renewal without a notice waits for its retry for ever",
    [
      [
        "subscriptions/renew.ts",
        "await endRetry(tx, tenant, id, row.retry_cycle, now);",
        "if (row !== null) return null;",
      ],
    ],
    [
      TESTS,
      "an attempt without a notice is not repeated once that is refused, whether after a later notice or by a link",
    ],
    [TESTS, "a subscription ends with its period although its last cycle failed and was never announced"],
  ),
  putBack(
    "an event that has no deliveries yet is announced anew",
    [["subscriptions/announce-store.ts", "and e.fanned_out_at is null)", "and false)"]],
    [
      TESTS,
      "a renewal whose event is still being delivered is not announced a second time (fanned out: false)",
    ],
  ),
  putBack(
    "the page of a failed payment has a button although its mandate has expired",
    [["subscriptions/failed/store.ts", 'and not ${isUnusedFor36Months("m", ":today::date")}', ""]],
    [PUT_RIGHT, "a link does not collect with a mandate that has expired unused, and its page has no button"],
  ),
  putBack(
    "a used link is valid for the next failure, too",
    [
      [
        "subscriptions/failed/store.ts",
        "t.status = 'declined' and c.transaction_id = t.id and",
        "t.status = 'declined' and",
      ],
    ],
    [PUT_RIGHT, "each failure allows one attempt by its link, and the next message has the next link"],
  ),
  putBack(
    "whether a link may be used is not checked again under the lock",
    [
      [
        "subscriptions/failed/retry.ts",
        "failed === null || !failed.may_be_put_right) return false",
        "failed === null) return false",
      ],
    ],
    [PUT_RIGHT, "the retry is collected just before the link is used"],
  ),
  putBack(
    "a link is valid for years",
    [["subscriptions/failed/store.ts", "const LINK_DAYS = 60;", "const LINK_DAYS = 600;"]],
    [
      PUT_RIGHT,
      "a link does nothing when it is too late: after a cancellation, the end of the mandate, or two months",
    ],
  ),
  putBack(
    "a notice of another account counts",
    [["messages/notice-conditions.ts", " and x.iban_last4 = m.iban_last4", ""]],
    [TESTS, "a renewal whose mandate is amended after its notice is announced again"],
  ),
  putBack(
    "a renewal that was found due is collected although its mandate was amended since",
    [
      [
        "subscriptions/renew.ts",
        'if (row.retry_cycle === null && !row.is_noticed) return { kind: "not_due" } as const;',
        "",
      ],
    ],
    [TESTS, "a mandate that is amended between the search for what is due and its lock is not debited"],
  ),
  putBack(
    "the days between notice and debit are not counted",
    [["messages/notice-conditions.ts", "::date + x.notice_days <= ${day}", "::date <= ${day}"]],
    [TESTS, "a renewal whose event the merchant has acknowledged is collected"],
  ),
  putBack(
    "the event is proof although the customer was to get a message",
    [["messages/notice-conditions.ts", "when x.told_by = 'message' then", "when x.told_by = 'nobody' then"]],
    [TESTS, "the event does not count as the notice if the customer was to get a message"],
  ),
  putBack(
    "a renewal whose notice cannot be sent is announced again at each pass",
    [["subscriptions/announce-store.ts", "x.collection_date - x.lead_days > :today::date", "false"]],
    [TESTS, "a message that cannot be sent is tried once in a notice period"],
  ),
  putBack(
    "a message names a day that its notice cannot meet",
    [
      [
        "messages/store.ts",
        "x.collection_date < :today::date + x.notice_days",
        "x.collection_date < :today::date",
      ],
    ],
    [TESTS, "a renewal waits until its notice was sent, and is debited on the day that the notice named"],
  ),
  putBack(
    "a renewal that waits for its notice is announced once only",
    [["subscriptions/announce.ts", "    await announceUnnotifiedAgain(deps.db, tenant, today);\n", ""]],
    [TESTS, "a message that cannot be sent is tried once in a notice period"],
  ),
  putBack(
    "a renewal is retried only with a notice of the amended account",
    [
      [
        "messages/notice-conditions.ts",
        'attempt === "first" ? NOTICE_AGREES : noticeOfClaim(dueDate)',
        "attempt === null ? noticeOfClaim(dueDate) : NOTICE_AGREES",
      ],
    ],
    [TESTS, "a failed renewal is retried with the notice of its first attempt"],
  ),
];
