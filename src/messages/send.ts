/** Sends the messages in the outbox to customers, each at most once; several instances may run it. */
import type { Deps } from "../deps.ts";
import { later, SECOND_MS } from "../lib/clock.ts";
import { utcDate } from "../lib/dates.ts";
import type { Job } from "../lib/job.ts";
import { announceAgain } from "../subscriptions/announce-store.ts";
import { failureWords } from "./failure-words.ts";
import { messageLetter, evidenceOfMessage, type LetterParts } from "./letter.ts";
import { HANDOVER_MS, nextMessageTryAt } from "./schedule.ts";
import type { Handover, Mail } from "./smtp.ts";
import {
  claimMessages,
  endSending,
  giveUpUnclear,
  readWithSubject,
  tenantsWithDueMessages,
  writeHandOver,
  type SendingEnd,
  type Claimed,
  type MessageEvidence,
  type MessageWithSubject,
} from "./store.ts";

type Parts = LetterParts & Pick<Deps, "time">;
type OnAttempt = (state: SendingEnd["state"]) => void;

const TENANTS_PER_PASS = 50;
/** Concurrent connections to the mail server. */
const AT_ONCE = 5;
const LEASE_MS = 2 * HANDOVER_MS;
/** The next retry of a failed renewal is written within seconds of the failure. */
const CYCLE_KNOWN_MS = 30 * SECOND_MS;

/**
 * The job.
 * @param onAttempt called for each recorded attempt with the new state of its message.
 */
export function messagesJob(deps: Deps, mail: Mail, onAttempt: OnAttempt = () => {}): Job {
  return {
    name: "send-messages",
    everyMs: 5 * SECOND_MS,
    batch: TENANTS_PER_PASS * AT_ONCE,
    runOnce: () => sendDue(deps, mail, onAttempt),
  };
}

/** Returns how many messages were processed. */
async function sendDue(deps: Parts, mail: Mail, onAttempt: OnAttempt): Promise<number> {
  let taken = 0;
  for (const tenant of await tenantsWithDueMessages(deps.db, deps.clock.now(), TENANTS_PER_PASS)) {
    for (const message_id of await giveUpUnclear(deps.db, tenant)) {
      onAttempt("unclear");
      deps.log.warn("a message may be on its way: its process ended before the server's answer", {
        message_id,
      });
    }
    const claimed = await claimMessages(deps.db, tenant, deps.clock.now(), LEASE_MS, AT_ONCE);
    await Promise.all(
      claimed.map(async (message) => {
        const state = await sendAlone(deps, mail, tenant, message);
        if (state !== null) onAttempt(state);
      }),
    );
    taken += claimed.length;
  }
  return taken;
}

/** A message that cannot be created does not delay others. Returns the message's state; null if it was not recorded. */
async function sendAlone(
  deps: Parts,
  mail: Mail,
  tenant: number,
  message: Claimed,
): Promise<SendingEnd["state"] | null> {
  try {
    const end = await attempt(deps, mail, tenant, message).catch((error: unknown) =>
      notMade(deps, message, error),
    );
    return (await endSending(deps.db, tenant, message, end)) ? end.state : null;
  } catch (error) {
    deps.log.error("the end of a message's attempt could not be recorded", error, { message_id: message.id });
    return null;
  }
}

/** Errors here occur before the server has the text, so the message can be tried again. */
function notMade(deps: Parts, { id, attempts }: Claimed, error: unknown): SendingEnd {
  deps.log.error("a message could not be made", error, { message_id: id });
  const answer = `not made: ${failureWords(error)}`;
  return { ...retried(attempts, deps.clock.now()), sentAt: null, answer, counts: true, telling: null };
}

function retried(attempts: number, now: Date): Pick<SendingEnd, "state" | "dueAt"> {
  const dueAt = nextMessageTryAt(attempts, now);
  return { state: dueAt === null ? "given_up" : "waiting", dueAt };
}

async function attempt(deps: Parts, mail: Mail, tenant: number, message: Claimed): Promise<SendingEnd> {
  const row = await readWithSubject(deps.db, tenant, message.id, utcDate(deps.time.now(tenant)));
  if (row === null || !isStillTrue(row)) return ended("dropped");
  if (row.notice_id !== null && (row.is_late === true || row.is_stopped)) {
    await announceAgain(deps.db, tenant, row.notice_id);
    return ended("dropped");
  }
  if (row.cycle_status === "pending" && row.kind === "payment_failed")
    return { ...ended("waiting"), dueAt: later(deps.clock.now(), CYCLE_KNOWN_MS), counts: false };
  const telling = evidenceOfMessage(deps, tenant, row);
  const handOver = () => writeHandOver(deps.db, tenant, message, deps.time.now(tenant), telling);
  const handover = await mail.send(await messageLetter(deps, tenant, row), handOver);
  return endOf(deps, tenant, row, telling, handover);
}

/** Whether the message is still true; otherwise the newer fact has a message of its own. */
function isStillTrue(row: MessageWithSubject): boolean {
  if (row.erased_at !== null) return false;
  switch (row.kind) {
    case "pre_notification":
      return row.is_current === true;
    case "mandate_copy":
      return row.mandate_status !== "rejected";
    case "receipt":
      return row.transaction_status === "approved" || row.transaction_status === "refunded";
    case "payment_failed":
      return row.transaction_status === "declined";
    case "payment_returned":
      return row.transaction_status === "charged_back";
  }
}

function endOf(
  deps: Parts,
  tenant: number,
  { id, attempts }: MessageWithSubject,
  telling: MessageEvidence,
  { kind, answer }: Handover,
): SendingEnd {
  const { state, dueAt } =
    kind === "retry" ? retried(attempts, deps.clock.now()) : { state: kind, dueAt: null };
  if (state !== "sent") deps.log.warn("a message was not sent", { message_id: id, state, answer });
  return {
    state,
    dueAt,
    sentAt: kind === "sent" ? deps.time.now(tenant) : null,
    answer,
    counts: true,
    telling,
  };
}

function ended(state: SendingEnd["state"]): SendingEnd {
  return { state, dueAt: null, sentAt: null, answer: null, counts: true, telling: null };
}
