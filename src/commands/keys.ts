/** Commands about master keys. */
import { readConfig } from "../config.ts";
import { reseal } from "../keys/reseal.ts";
import { registerKeys } from "../keys/register.ts";
import { forgetKey } from "../keys/forget.ts";
import { keyStatus } from "../keys/status.ts";
import { progressOn } from "../lib/progress.ts";
import { systemClock } from "../lib/clock.ts";
import { type Commands, UsageError, ProblemFound } from "./command.ts";
import { SLOW_STATEMENT_MS, withDatabase } from "./database.ts";

export const KEYS_COMMANDS: Commands = {
  "keys status": {
    usage: "keys status",
    does: "prints the master keys of this database, which of them MASTER_KEYS has, and how many values each has sealed, by column; says what to do next",
    run: async () => {
      const { masterKeys } = await readConfig();
      return withDatabase((db) => keyStatus(db, masterKeys), SLOW_STATEMENT_MS);
    },
  },
  "keys reseal": {
    usage: "keys reseal",
    does: "seals everything under the first of MASTER_KEYS while the service runs; can be interrupted and run again",
    run: resealAll,
  },
  "keys forget": {
    usage: "keys forget KEY",
    does: "lets the service start without a master key that is permanently lost; what it sealed stays unreadable",
    async run({ operands: [key] }) {
      if (key === undefined) throw new UsageError("Name the key: `keys status` prints the names.");
      const { masterKeys } = await readConfig();
      return withDatabase((db) => forgetKey(db, masterKeys, key, systemClock.now()), SLOW_STATEMENT_MS);
    },
  },
};

/** @throws ProblemFound when something could not be sealed anew. */
async function resealAll(): Promise<string> {
  const { masterKeys } = await readConfig();
  const progress = progressOn(process.stderr, "values resealed", () => systemClock.monotonicMs());
  const report = await withDatabase(async (db) => {
    const keys = await registerKeys(db, masterKeys, systemClock.now());
    return reseal(db, keys, (done, all) => progress.at(done, all)).finally(() => progress.end());
  }, SLOW_STATEMENT_MS);
  const problems = [
    ...report.unreadable.map(
      ({ column, count }) => `${count} of ${column} could not be opened and were left unchanged.`,
    ),
    ...(report.left === 0
      ? []
      : [
          `${report.left} were sealed under another key meanwhile: give every instance the new key first, then run this again.`,
        ]),
  ];
  const words = [`${report.resealed} values resealed.`, ...problems].join("\n");
  if (problems.length > 0) throw new ProblemFound(words);
  return words;
}
