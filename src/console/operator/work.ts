/** The operator's pages of jobs, queues and webhook receivers. Pure. */
import { html, type Html } from "../../files/html.ts";
import { later, MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import type { Installation } from "../../operator/installation.ts";
import type { JobState } from "../../operator/job-log.ts";
import { FOR_PEOPLE, QUEUE_COUNTED_MAX, type QueueState } from "../../operator/queues-store.ts";
import type { ReceiverState } from "../../operator/receivers-store.ts";
import { callout, empty, heading } from "../design/blocks.ts";
import { table } from "../design/table.ts";
import { badge, failingSince, orNone, time, timeOrNone } from "../design/values.ts";
import type { Words } from "../words.ts";

interface Page {
  readonly words: Words;
  readonly now: Date;
}

export function jobsPage({ words, now, installation }: Page & { readonly installation: Installation }): Html {
  const { say } = words;
  const { host, startedAt } = installation;
  const jobs = installation.jobs().toSorted((a, b) => Number(b.failing) - Number(a.failing));
  return html`${heading(say("jobs"), { lead: say("jobsWhat", { host, time: words.time(startedAt) }) })}
    <section class="panel">
      ${table(
        say("jobs"),
        [
          { title: say("job") },
          { title: say("every"), as: "number spare" },
          { title: say("lastPass"), as: "short" },
          { title: say("took"), as: "number spare" },
          { title: say("itemsDone"), as: "number spare" },
          { title: say("nextPass"), as: "short spare" },
          { title: say("lastError") },
        ],
        jobs.map((job) => [
          html`<span class="code">${job.name}</span>`,
          words.duration(job.everyMs),
          job.lastAt === null
            ? html`<span class="soft">${say("notYet")}</span>`
            : time(words, job.lastAt, now),
          job.lastAt === null ? orNone(null) : words.duration(job.tookMs),
          words.number(job.items),
          nextPass(words, job, now),
          lastError(words, job, now),
        ]),
      )}
    </section>`;
}

/** The latest time of the next pass: after a full batch it follows at once. */
function nextPass(words: Words, { runningSince, lastAt, everyMs }: JobState, now: Date): Html | string {
  if (runningSince !== null) return words.say("underWay");
  return lastAt === null ? orNone(null) : time(words, later(lastAt, everyMs), now);
}

function lastError(words: Words, { failing, lastError: error }: JobState, now: Date): Html | string {
  if (error === null) return orNone(null);
  return html`${failing && badge("bad", words.say("failed"))} <span class="code">${error.code}</span>
    <span class="soft">${time(words, error.at, now)}</span>`;
}

/** A receiver that can be tried is picked up within seconds. */
const LATE_SECONDS = MINUTE_MS / SECOND_MS;

export function isLate(lateSeconds: number): boolean {
  return lateSeconds > LATE_SECONDS;
}

export function queuesPage(
  page: Page & { readonly queues: readonly QueueState[]; lateSeconds: number },
): Html {
  const { words, now, queues, lateSeconds } = page;
  const { say, texts } = words;
  return html`${heading(say("queues"), { lead: say("queuesWhat") })}
    <div class="stack">
      ${
        isLate(lateSeconds) &&
        callout("bad", say("receiversLate", { time: words.duration(lateSeconds * SECOND_MS) }))
      }
      <section class="panel">
        ${table(
          say("queues"),
          [
            { title: say("queue") },
            { title: say("waitingNow"), as: "number" },
            { title: say("oldest"), as: "short" },
          ],
          queues.map(({ queue, count, oldest }) => [
            html`${texts.queueNames[queue]}
              <div class="soft">${texts.queueHints[queue]}</div>`,
            counted(words, { queue, count }),
            timeOrNone(words, oldest, now),
          ]),
        )}
      </section>
    </div>`;
}

function counted(words: Words, { queue, count }: Pick<QueueState, "queue" | "count">): Html | string {
  const text = count > QUEUE_COUNTED_MAX ? `>${words.number(QUEUE_COUNTED_MAX)}` : words.number(count);
  return FOR_PEOPLE.has(queue) && count > 0 ? badge("attention", text) : text;
}

export function receiversPage(
  page: Page & {
    readonly receivers: readonly ReceiverState[];
    readonly names: ReadonlyMap<number, string>;
  },
): Html {
  const { words, now, receivers, names } = page;
  const { say } = words;
  return html`${heading(say("receivers"), { lead: say("receiversWhat") })}
    <section class="panel">
      ${
        receivers.length === 0
          ? empty(say("noReceivers"), say("noReceiversHint"))
          : table(
              say("receivers"),
              [
                { title: say("receiver") },
                { title: say("tenant"), as: "spare" },
                { title: say("status") },
                { title: say("inFlight"), as: "number spare" },
                { title: say("waitingNow"), as: "number" },
                { title: say("oldest"), as: "short spare" },
              ],
              receivers.map((receiver) => [
                html`<span class="code">${receiver.host}</span>`,
                orNone(names.get(receiver.tenant) ?? null),
                receiverState(words, receiver, now),
                say("countOf", { count: receiver.in_flight, max: receiver.in_flight_limit }),
                words.number(receiver.waiting),
                timeOrNone(words, receiver.oldest, now),
              ]),
            )
      }
    </section>`;
}

function receiverState(words: Words, receiver: ReceiverState, now: Date): Html {
  const { failures_in_a_row: failures, paused_until: paused } = receiver;
  if (receiver.switched_off || !receiver.active) return badge("attention", words.say("switchedOff"));
  if (failures === 0) return badge("good", words.say("well"));
  const next =
    paused !== null && paused > now ? words.say("pausedUntil", { time: words.since(paused, now) }) : "";
  return html`${badge("bad", words.count(words.texts.failuresInARow, failures))}
    ${receiver.failing_since !== null && html`<div class="soft">${failingSince(words, receiver.failing_since, now)}</div>`}
    <div class="soft">${next}</div>`;
}
