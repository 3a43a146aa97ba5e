/** Commands after a restore (docs/backup.md): why the service is held, which files the bank has, the release. */
import { holdByHand, checkPlace, readRestored, release, type Held } from "../backup/place.ts";
import { recordLostFiles } from "../gateways/sepa-batch/commands.ts";
import { skipMessageNumbers } from "../gateways/sepa-batch/outgoing/store.ts";
import { COMMAND_LINE } from "../management/audit/audit.ts";
import { systemClock } from "../lib/clock.ts";
import { type Commands, type Given, UsageError, ProblemFound } from "./command.ts";
import { withService, withDatabase } from "./database.ts";

export const RESTORED_COMMANDS: Commands = {
  "restored status": {
    usage: "restored status",
    does: "says whether the service is held after a restore, and what it would send once released; exits with 1 if it is held",
    run: restoredStatus,
  },
  "restored hold": {
    usage: "restored hold",
    does: "holds the service within seconds, after a restore that it cannot notice, such as that of a disk snapshot",
    run: () =>
      withDatabase((db) => holdByHand(db, systemClock.now()).then(() => "Held. `restored release` ends it.")),
  },
  "restored file": {
    usage: "restored file --gateway ID [--message ID] [FILE…]",
    does: "records that the bank has a file that was sent after the backup, so that nothing in it is sent again; lists the parts of it that are unknown here, and exits with 1 if there are any",
    run: recordFiles,
  },
  "restored release": {
    usage: "restored release",
    does: "lets the service take payments and send files and webhooks again, once the losses have been dealt with",
    run: releaseRestored,
  },
};

/** @throws ProblemFound when the service is held. */
async function restoredStatus(): Promise<string> {
  return withDatabase(async (db) => {
    const held = await checkPlace(db, systemClock.now());
    if (held === null) return "Not held: the database runs where it ran before.";
    const { newest, waiting } = await readRestored(db, systemClock.now());
    throw new ProblemFound(
      [
        holdMessage(held),
        newest === null
          ? "There are no events in the database."
          : `The newest event is from ${newest.toISOString()}. What happened after it is not in the database.`,
        ...waiting.map(({ what, count }) => `${String(count).padStart(9)} ${what}`),
      ].join("\n"),
    );
  });
}

export function holdMessage({ since, reason }: Held): string {
  const why = reason === "by hand" ? "an operator said so" : `the database runs in ${reason} than before`;
  return `The service is held after a restore, since ${since.toISOString()}: ${why}.`;
}

/** @throws ProblemFound when a person has to look into something. */
async function recordFiles({ options: { gateway, message }, operands: paths }: Given): Promise<string> {
  if (gateway === undefined || (message === undefined && paths.length === 0))
    throw new UsageError("Name the gateway with --gateway, and a file or its message id with --message.");
  const files = { messageIds: message === undefined ? [] : [message], paths };
  const { text, complete } = await withService((deps) => recordLostFiles(deps, COMMAND_LINE, gateway, files));
  if (!complete) throw new ProblemFound(text);
  return text;
}

async function releaseRestored(): Promise<string> {
  const released = await withDatabase((db) => release(db, skipMessageNumbers, systemClock.now()));
  return released ? "Released: payments, files and webhooks go out again." : "The service was not held.";
}
