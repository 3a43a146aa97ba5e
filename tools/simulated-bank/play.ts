/** `npm run cli -- sepa simulate-bank`: runs the simulated bank on a file, for trying the service without a bank. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scenarioOf } from "../../src/gateways/sandbox/scenarios.ts";
import { sha256 } from "../../src/lib/keyring.ts";
import { addTargetDays } from "../../src/sepa/target.ts";
import { answer } from "./answer.ts";
import { readPain008 } from "./read.ts";

/**
 * Simulates the bank: writes, for a file of the service, the status report and the statements of a bank, by the table
 * of test IBANs, day by day into a folder. Moves no money and makes no calls.
 */
export async function playBank(path: string, folder: string): Promise<string> {
  const file = readPain008(await readFile(path, "utf8"));
  const id = `BANK-${sha256(file.messageId).toString("hex").slice(0, 8).toUpperCase()}`;
  const receivedAt = new Date(`${addTargetDays(file.blocks[0]?.dueDate ?? "", -1)}T08:00:00Z`);
  const said = answer(file, scenarioOf, { id, receivedAt });
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  const write = async (name: string, xml: string | null) => {
    if (xml === null) return;
    await writeFile(join(folder, name), xml);
    written.push(join(folder, name));
  };
  await write(`${id}-status.xml`, said.pain002);
  for (const { date, camt053 } of said.days) await write(`${id}-statement-${date}.xml`, camt053);
  return written.join("\n");
}
