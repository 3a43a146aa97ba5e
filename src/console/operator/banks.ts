/** The operator's page of banks: how files are exchanged, and where that fails. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { BankState } from "../../operator/banks-store.ts";
import { empty, heading } from "../design/blocks.ts";
import { table } from "../design/table.ts";
import { badge, dayOrNone, timeOrNone } from "../design/values.ts";
import type { Words } from "../words.ts";

interface BanksPage {
  readonly words: Words;
  readonly now: Date;
  readonly banks: readonly BankState[];
  /** The names of tenants by number. */
  readonly names: ReadonlyMap<number, string>;
}

export function banksPage({ words, now, banks, names }: BanksPage): Html {
  const { say, texts } = words;
  const at = (value: Date | null) => timeOrNone(words, value, now);
  return html`${heading(say("banks"), { lead: say("banksWhat") })}
    <section class="panel">
      ${
        banks.length === 0
          ? empty(say("noBanks"), say("noBanksHint"))
          : table(
              say("banks"),
              [
                { title: say("gateway") },
                { title: say("transport"), as: "spare" },
                { title: say("status") },
                { title: say("lastRun"), as: "short spare" },
                { title: say("lastUpload"), as: "short" },
                { title: say("lastLook"), as: "short spare" },
                { title: say("newestStatement"), as: "short spare" },
              ],
              banks.map((bank) => [
                html`${bank.name}
                  <div class="soft">${names.get(bank.tenant) ?? ""}</div>`,
                texts.transports[bank.transport] ?? bank.transport,
                stateOf(words, bank),
                at(bank.last_run_at),
                at(bank.sent_at),
                at(bank.polled_at),
                dayOrNone(words, bank.statement_on),
              ]),
            )
      }
    </section>`;
}

function stateOf({ texts, say }: Words, { trouble, code, user, transport, polled_at }: BankState): Html {
  if (trouble !== null)
    return html`${badge("bad", texts.bankTroubles[trouble])} <span class="code">${code}</span>`;
  if (transport !== "manual" && polled_at === null) return badge("waiting", say("notYet"));
  if (user === null || user === "ready") return badge("good", say("well"));
  return badge("waiting", texts.bankUsers[user]);
}
