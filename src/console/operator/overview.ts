/** The operator's first page: tasks for an operator, the service's health, the running versions. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { Migration } from "../../db/migrations.ts";
import { fourDigits } from "../../db/schema-state.ts";
import type { Environment } from "../../deps.ts";
import type { Readiness } from "../../http/probes.ts";
import type { Installation } from "../../operator/installation.ts";
import type { MigrationApplied, ConnectedInstance } from "../../operator/schema-store.ts";
import { callout, facts, heading, panel } from "../design/blocks.ts";
import { table } from "../design/table.ts";
import { badge, time, timeOrNone } from "../design/values.ts";
import type { Concern } from "../texts/operator.ts";
import type { Words } from "../words.ts";
import { BANKS_PATH, JOBS_PATH, QUEUES_PATH, RECEIVERS_PATH } from "./places.ts";

interface Overview {
  readonly words: Words;
  readonly now: Date;
  readonly environment: Environment;
  readonly installation: Installation;
  readonly readiness: Readiness;
  /** Since when the service has been held after a restore; null if it is not. */
  readonly heldSince: Date | null;
  /** The number of each concern. */
  readonly concerns: readonly (readonly [concern: Concern, count: number])[];
  readonly postgres: string;
  readonly known: readonly Migration[];
  readonly applied: readonly MigrationApplied[];
  readonly instances: readonly ConnectedInstance[];
}

const PLACES: Readonly<Record<Concern, string>> = {
  jobs_failing: JOBS_PATH,
  receivers_failing: RECEIVERS_PATH,
  webhooks_late: QUEUES_PATH,
  files_unclear: QUEUES_PATH,
  news_set_aside: BANKS_PATH,
  banks_in_trouble: BANKS_PATH,
};

export function overviewPage(page: Overview): Html {
  const { words, readiness } = page;
  const { say } = words;
  const state = readiness.ready ? badge("good", say("ready")) : badge("bad", say("notReady"));
  return html`${heading(say("installation"), { after: state })}
    <div class="stack">
      ${readiness.detail !== null && callout(readiness.ready ? "attention" : "bad", readiness.detail)}
      ${concernsPanel(page)}
      <div class="halves">${healthPanel(page)} ${versionsPanel(page)}</div>
      ${instancesPanel(page)} ${migrationsPanel(page)}
    </div>`;
}

function concernsPanel({ words, concerns }: Overview): Html {
  const some = concerns.filter(([, count]) => count > 0);
  return panel(
    words.say("needsYou"),
    some.length === 0
      ? html`<p class="in soft">${words.say("nothingForOperator")}</p>`
      : html`<ul class="rows">
          ${some.map(
            ([concern, count]) =>
              html`<li>
                <a class="waiting" href="${PLACES[concern]}"
                  >${words.count(words.texts.concerns[concern], count)}</a
                >
              </li>`,
          )}
        </ul>`,
  );
}

function healthPanel({ words, now, installation, heldSince }: Overview): Html {
  const { say } = words;
  const counts = { ...installation.connections() };
  return panel(
    say("health"),
    facts([
      [say("process"), installation.host],
      [say("startedAt"), time(words, installation.startedAt, now)],
      [say("connections"), say("connectionsOf", counts)],
      [say("replica"), replicaWords(words, installation)],
      [say("heldSince"), heldSince === null ? null : time(words, heldSince, now)],
    ]),
  );
}

function replicaWords(words: Words, { replicaLagMs }: Installation): string {
  if (replicaLagMs === null) return words.say("noReplica");
  const lagMs = replicaLagMs();
  if (lagMs === null) return words.say("replicaAway");
  return words.say("replicaBehind", { time: words.duration(lagMs) });
}

function versionsPanel({ words, environment, installation, postgres, known, applied }: Overview): Html {
  const { say, texts } = words;
  const [newest] = applied;
  return panel(
    say("versions"),
    facts([
      [say("environment"), texts.environments[environment]],
      [say("service"), installation.version],
      ["Node.js", process.versions.node],
      ["PostgreSQL", postgres],
      [say("schema"), newest === undefined ? null : fourDigits(newest.number)],
      [say("knownMigration"), fourDigits(known.length)],
    ]),
  );
}

function instancesPanel({ words, now, instances }: Overview): Html {
  const { say } = words;
  return panel(
    say("instances"),
    html`<p class="in soft">${say("instancesWhat")}</p>
      ${table(
        say("instances"),
        [
          { title: say("address") },
          { title: say("knownMigration"), as: "number" },
          { title: say("connections"), as: "number" },
          { title: say("since"), as: "short spare" },
        ],
        instances.map(({ address, knows, connections, since }) => [
          address === "" ? say("socket") : html`<span class="code">${address}</span>`,
          fourDigits(knows),
          words.number(connections),
          timeOrNone(words, since, now),
        ]),
      )}`,
  );
}

function migrationsPanel({ words, now, known, applied }: Overview): Html {
  const { say } = words;
  const newest = applied[0]?.number ?? 0;
  const missing = known.filter(({ number }) => number > newest).map(({ name }) => name);
  return panel(
    say("migrations"),
    html`<p class="in soft">
        ${missing.length === 0 ? say("noneMissing") : say("missingMigrations", { names: missing.join(", ") })}
      </p>
      ${table(
        say("migrations"),
        [
          { title: say("migration") },
          { title: say("worksFrom"), as: "number spare" },
          { title: say("appliedAt"), as: "short" },
        ],
        applied.map(({ number, name, compatible_with: from, applied_at: at }) => [
          html`<span class="code">${name}</span>`,
          fourDigits(from ?? number),
          time(words, at, now),
        ]),
      )}`,
  );
}
