/** The operator's page of master keys, and what is sealed under each. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { MasterKeyRow } from "../../db/rows.ts";
import { keyState, type KeyState } from "../../keys/status.ts";
import type { Usage } from "../../keys/usage.ts";
import { callout, heading, panel } from "../design/blocks.ts";
import { addressWith } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { badge, orNone, time, type Meaning } from "../design/values.ts";
import type { Words } from "../words.ts";
import { MASTER_KEYS_PATH } from "./places.ts";

/** What is sealed under each key; `too_long`: counting took too long. */
type Counted =
  | { readonly usage: readonly Usage[]; readonly sessions: ReadonlyMap<number, number> }
  | "too_long";

interface KeysPage {
  readonly words: Words;
  readonly now: Date;
  readonly keys: readonly Omit<MasterKeyRow, "check_value" | "mac_keys">[];
  /** The ids of the keys held by this process, the sealing key first. */
  readonly held: readonly string[];
  /** Null: not requested. */
  readonly counted: Counted | null;
}

const MEANINGS: Readonly<Record<KeyState, Meaning>> = {
  seals: "good",
  opens: "waiting",
  missing: "bad",
  dropped: "attention",
};

export function keysPage({ words, now, keys, held, counted }: KeysPage): Html {
  const { say, texts } = words;
  const count = html`<a class="button" href="${addressWith(MASTER_KEYS_PATH, { count: "1" })}"
    >${say("countSealed")}</a
  >`;
  return html`${heading(say("masterKeys"), { lead: say("masterKeysWhat"), acts: [count] })}
    <div class="stack">
      <section class="panel">
        ${table(
          say("masterKeys"),
          [
            { title: say("key") },
            { title: say("number"), as: "number spare" },
            { title: say("status") },
            { title: say("firstSeen"), as: "short spare" },
          ],
          keys.map((key) => {
            const state = keyState(key, held);
            return [
              key.name === null ? orNone(null) : html`<span class="code">${key.name}</span>`,
              words.number(key.number),
              badge(MEANINGS[state], texts.keyStates[state]),
              time(words, key.first_seen_at, now),
            ];
          }),
        )}
      </section>
      ${counted === null ? html`<p class="soft">${say("countSealedWhat")}</p>` : countedPanel(words, keys, counted)}
    </div>`;
}

function countedPanel(words: Words, keys: KeysPage["keys"], counted: Counted): Html {
  const { say } = words;
  if (counted === "too_long") return callout("attention", say("countedTooLong"));
  const nameOf = (number: number) => keys.find((key) => key.number === number)?.name ?? String(number);
  const rows = [
    ...counted.usage.map(({ number, column, count }) => [number, column, count] as const),
    ...[...counted.sessions].map(([number, count]) => [number, say("sessionTokens"), count] as const),
  ];
  if (rows.length === 0) return html`<p class="soft">${say("nothingSealed")}</p>`;
  return panel(
    say("sealedValues"),
    table(
      say("sealedValues"),
      [
        { title: say("sealedIn") },
        { title: say("key"), as: "spare" },
        { title: say("number"), as: "number" },
      ],
      rows.map(([number, column, count]) => [
        html`<span class="code">${column}</span>`,
        html`<span class="code">${nameOf(number)}</span>`,
        words.number(count),
      ]),
    ),
    NOTHING,
  );
}
