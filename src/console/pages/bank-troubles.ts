/** Problems between a company and its banks: users that a bank refuses, notices that could not be recorded. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { ListedUser } from "../../gateways/sepa-batch/transports/ebics/users-store.ts";
import type { ShownSetAside } from "../../payments/news/set-aside-store.ts";
import { csrfField } from "../csrf.ts";
import { panel } from "../design/blocks.ts";
import type { Named } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { orNone, time } from "../design/values.ts";
import type { Words } from "../words.ts";
import { entryReason } from "./entry-reason.ts";
import { pathOfSearch } from "./search.ts";

export const BANK_USERS_PATH = "/console/bank/users/";

export interface BankTroubles {
  readonly words: Words;
  readonly now: Date;
  readonly csrf: string;
  readonly gateways: readonly Named[];
  readonly stopped: readonly ListedUser[];
  readonly setAside: readonly ShownSetAside[];
  readonly mayResume: boolean;
}

export function bankTroubles(page: BankTroubles): Html {
  return html`${page.stopped.length > 0 ? stoppedPanel(page) : NOTHING}
  ${page.setAside.length > 0 ? setAsidePanel(page) : NOTHING}`;
}

function nameOf(gateways: readonly Named[], id: string): string {
  return gateways.find((one) => one.id === id)?.name ?? id;
}

function stoppedPanel({ words, now, csrf, gateways, stopped, mayResume }: BankTroubles): Html {
  const { say } = words;
  return panel(
    say("bankRefuses"),
    html`<p class="in soft">${say("bankRefusesWhat")}</p>
      ${table(
        say("bankRefuses"),
        [
          { title: say("bankAccount") },
          { title: say("reason") },
          { title: say("since"), as: "short spare" },
          { title: "" },
        ],
        stopped.map((user) => [
          nameOf(gateways, user.gateway_id),
          orNone(user.stop_reason),
          time(words, user.updated_at, now),
          mayResume
            ? html`<form method="post" action="${BANK_USERS_PATH}${user.gateway_id}/resume/">
                ${csrfField(csrf)}<button>${say("resumeBankUser")}</button>
              </form>`
            : "",
        ]),
      )}`,
  );
}

function setAsidePanel({ words, now, gateways, setAside }: BankTroubles): Html {
  const { say } = words;
  return panel(
    say("newsSetAside"),
    html`<p class="in soft">${say("newsSetAsideWhat")}</p>
      ${table(
        say("newsSetAside"),
        [
          { title: say("reference") },
          { title: say("reason") },
          { title: say("gateway"), as: "spare" },
          { title: say("since"), as: "short spare" },
          { title: say("nextTry"), as: "short" },
        ],
        setAside.map((row) => [
          html`<a class="row code reference" href="${pathOfSearch(row.reference)}">${row.reference}</a>`,
          html`${words.texts.newsKinds[row.kind] ?? row.kind}
            <div class="soft">${entryReason(words, row.why)}</div>`,
          nameOf(gateways, row.gateway_id),
          time(words, row.since, now),
          time(words, row.due_at, now),
        ]),
      )}`,
  );
}
