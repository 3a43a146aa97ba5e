/** Every file that we write, and every file of the simulated bank, is valid by the schemas of ISO 20022. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test from "node:test";
import { validateXML } from "xmllint-wasm";
import { fc } from "../support/properties.ts";
import { scenarioOf } from "../../src/gateways/sandbox/scenarios.ts";
import { answer, type Answer, type AnswerOptions } from "../../tools/simulated-bank/answer.ts";
import { readPain008 } from "../../tools/simulated-bank/read.ts";
import type { DirectDebitFile } from "../../src/sepa/messages/direct-debit-file.ts";
import { writePain001, type CreditTransferFile } from "../../src/sepa/messages/pain001.ts";
import { writePain007 } from "../../src/sepa/messages/pain007.ts";
import { writePain008 } from "../../src/sepa/messages/pain008.ts";
import { readSentFile } from "../../src/sepa/messages/reading/sent-file.ts";
import { checkAgainstSchema } from "../../src/sepa/messages/schema-check.ts";
import {
  anyFile,
  COLLECTION,
  fileOf,
  REFERENCE_FILE,
  REFUNDS,
  reversalOf,
  SANDBOX_IBANS,
} from "../support/sepa.ts";

/**
 * The schemas of ISO and the German banks are not part of this repository. They are looked for in SEPA_SCHEMAS, and in
 * `shared/` next to a parent folder.
 */
const SCHEMAS = process.env["SEPA_SCHEMAS"] ?? nearby(import.meta.dirname);

function nearby(from: string): string {
  const folder = join(from, "shared/sepa/xsd");
  return existsSync(folder) || dirname(from) === from ? folder : nearby(dirname(from));
}

const absent = existsSync(SCHEMAS)
  ? null
  : "no shared/sepa/xsd near this checkout, nor SEPA_SCHEMAS: written files are not validated";
/**
 * Without the schemas the test is omitted with a message, not skipped, because they are not part of this repository.
 */
function testHere(name: string, check: () => void | Promise<void>): void {
  if (absent === null) void test(name, check);
}
if (absent !== null) console.log(absent);

const written = (file: DirectDebitFile) => [...writePain008(file)].join("");
const transfers = (file: CreditTransferFile) => [...writePain001(file)].join("");
const everyFile = (version: DirectDebitFile["version"]) => anyFile.map((file) => ({ ...file, version }));

testHere("a file of direct debits in version 08", async () => {
  await assertValid("iso/pain.008.001.08.xsd", written(REFERENCE_FILE));
});

testHere("any files in version 08", async () => {
  await assertValid("iso/pain.008.001.08.xsd", ...sample(everyFile("pain.008.001.08")).map(written));
});

testHere("any files in version 02, by ISO's schema and by the German banks', which is narrower", async () => {
  const files = [REFERENCE_FILE, ...sample(everyFile("pain.008.001.02"))];
  const texts = files.map((file) => written({ ...file, version: "pain.008.001.02" }));
  await assertValid("iso/pain.008.001.02.xsd", ...texts);
  await assertValid("dk/pain.008.001.02_DK.xsd", ...texts);
});

testHere("a file of credit transfers", async () => {
  await assertValid("iso/pain.001.001.09.xsd", transfers(REFUNDS), ...sample(anyTransfers).map(transfers));
});

const REVERSALS = "dk/pain.007.001.09_GBIC_5.xsd";
if (absent === null && !existsSync(`${SCHEMAS}/${REVERSALS}`)) console.log(`${REVERSALS} is not there`);
else
  testHere("files of reversals, by the German banks' schema, which is narrower than ISO's", async () => {
    const debits = [REFERENCE_FILE, ...sample(everyFile("pain.008.001.08"))];
    const sent = await Promise.all(debits.map((file) => readSentFile(bytesOf(written(file)))));
    await assertValid(REVERSALS, ...sent.map((file) => [...writePain007(reversalOf(file))].join("")));
  });

async function* bytesOf(xml: string) {
  yield Buffer.from(xml);
}

for (const booking of ["single", "collective"] as const) {
  testHere(`the simulated bank's answers to any files, booked ${booking}`, async () => {
    const answers = sample(anyFile).map((file) => answerTo(file, { booking }));
    await assertAnswersValid([
      ...answers,
      answerTo(EVERY_FATE, { booking }),
      answerTo(EVERY_FATE, { booking, rejectFile }),
    ]);
  });
}

testHere("the check at run time sees the same: a good file, and one with a wrong element", async () => {
  const schema = await readFile(`${SCHEMAS}/iso/pain.008.001.08.xsd`, "utf8");
  assert.deepEqual(await checkAgainstSchema(written(REFERENCE_FILE), schema), []);
  const broken = written(REFERENCE_FILE).replace("<ChrgBr>SLEV</ChrgBr>", "<ChrgBr>FREE</ChrgBr>");
  assert.match((await checkAgainstSchema(broken, schema)).join(), /ChrgBr/);
});

testHere("xmllint is asked in earnest: a file without its dates is not valid", async () => {
  const broken = written(fileOf(COLLECTION)).replace(/<ReqdColltnDt>.*?<\/ReqdColltnDt>/, "");
  await assert.rejects(assertValid("iso/pain.008.001.08.xsd", broken), /ReqdColltnDt/);
});

const rejectFile = { code: "AM05", text: "The bank has the file already." };

/** A payment from each account of the sandbox. */
const EVERY_FATE = fileOf(
  ...SANDBOX_IBANS.map((iban, index) => ({
    ...COLLECTION,
    endToEndId: `TXN-${index}`,
    debtor: { ...COLLECTION.debtor, iban },
  })),
);

function answerTo(file: DirectDebitFile, change: Pick<AnswerOptions, "booking" | "rejectFile">): Answer {
  const receivedAt = new Date("2026-11-20T15:00:00Z");
  return answer(readPain008(written(file)), scenarioOf, { id: "BANK-1", receivedAt, ...change });
}

async function assertAnswersValid(answers: readonly Answer[]): Promise<void> {
  const papers = (paper: (answer: Answer) => readonly (string | null)[]) =>
    answers.flatMap(paper).filter((text) => text !== null);
  await assertValid("iso/pain.002.001.10.xsd", ...papers(({ pain002 }) => [pain002]));
  await assertValid(
    "iso/camt.053.001.08.xsd",
    ...papers(({ camt053, days }) => [camt053, ...days.map((day) => day.camt053)]),
  );
  await assertValid(
    "iso/camt.054.001.08.xsd",
    ...papers(({ camt054, days }) => [camt054, ...days.map((day) => day.camt054)]),
  );
}

/** Any transfers: direct debits in the other direction. */
const anyTransfers: fc.Arbitrary<CreditTransferFile> = anyFile.map((file) => ({
  messageId: file.messageId,
  createdAt: file.createdAt,
  batchBooking: file.batchBooking,
  instant: file.batchBooking,
  executionDate: "2026-12-01",
  debtor: file.creditor,
  transfers: file.blocks
    .flatMap(({ collections }) => collections)
    .map(({ endToEndId, instructionId, amount, debtor, remittance }) => ({
      endToEndId,
      instructionId,
      amount,
      creditor: debtor,
      remittance,
    })),
}));

/** The same samples in every run, so that a failure can be reproduced. */
function sample<T>(arbitrary: fc.Arbitrary<T>): readonly T[] {
  return fc.sample(arbitrary, { seed: 20_261_120, numRuns: 40 });
}

/** One call for all documents, because starting xmllint takes longer than checking one. */
async function assertValid(schema: string, ...texts: readonly string[]): Promise<void> {
  const { errors, valid, rawOutput } = await validateXML({
    xml: texts.map((contents, index) => ({ fileName: `${index}.xml`, contents })),
    schema: { fileName: "message.xsd", contents: await readFile(`${SCHEMAS}/${schema}`, "utf8") },
    modifyArguments: (args) => ["--nonet", ...args],
  });
  assert.deepEqual(
    errors.map(({ message }) => message),
    [],
  );
  assert.ok(valid, rawOutput);
}
