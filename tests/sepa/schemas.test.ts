/** Every file that we write, and every answer of the simulated bank, is valid by ISO 20022's schemas. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { cents } from "../../src/lib/money.ts";
import type { DirectDebitFile } from "../../src/sepa/direct-debit-file.ts";
import { writePain001, type CreditTransferFile } from "../../src/sepa/pain001.ts";
import { writePain008 } from "../../src/sepa/pain008.ts";
import { checkAgainstSchema } from "../../src/sepa/schema-check.ts";
import { anyFile, COLLECTION, fileOf, REFERENCE_FILE, REFUNDS } from "../support/sepa.ts";

/** The schemas are ISO's and the German banks' and no part of this repository: they may lie beside it, or in SEPA_SCHEMAS. */
const SCHEMAS =
  process.env["SEPA_SCHEMAS"] ?? fileURLToPath(new URL("../../../shared/sepa/xsd", import.meta.url));
const skip = reasonToSkip();

const written = (file: DirectDebitFile) => [...writePain008(file)].join("");
const transfers = (file: CreditTransferFile) => [...writePain001(file)].join("");
const everyFile = (version: DirectDebitFile["version"]) => anyFile.map((file) => ({ ...file, version }));

test("a file of direct debits in version 08", { skip }, () => {
  assertValid("iso/pain.008.001.08.xsd", written(REFERENCE_FILE));
});

test("any files in version 08", { skip }, () => {
  assertValid("iso/pain.008.001.08.xsd", ...sample(everyFile("pain.008.001.08")).map(written));
});

test("any files in version 02, by ISO's schema and by the German banks', which is narrower", { skip }, () => {
  const files = [REFERENCE_FILE, ...sample(everyFile("pain.008.001.02"))];
  const texts = files.map((file) => written({ ...file, version: "pain.008.001.02" }));
  assertValid("iso/pain.008.001.02.xsd", ...texts);
  assertValid("dk/pain.008.001.02_DK.xsd", ...texts);
});

test("a file of credit transfers", { skip }, () => {
  assertValid("iso/pain.001.001.09.xsd", transfers(REFUNDS), ...sample(anyTransfers).map(transfers));
});

test("the check at run time sees the same: a good file, and one with a wrong element", { skip }, async () => {
  const schema = await readFile(`${SCHEMAS}/iso/pain.008.001.08.xsd`, "utf8");
  assert.deepEqual(await checkAgainstSchema(written(REFERENCE_FILE), schema), []);
  const broken = written(REFERENCE_FILE).replace("<ChrgBr>SLEV</ChrgBr>", "<ChrgBr>FREE</ChrgBr>");
  assert.match((await checkAgainstSchema(broken, schema)).join(), /ChrgBr/);
});

test("xmllint is asked in earnest: a file without its dates is not valid", { skip }, () => {
  const broken = written(fileOf(COLLECTION)).replace(/<ReqdColltnDt>.*?<\/ReqdColltnDt>/, "");
  assert.throws(() => assertValid("iso/pain.008.001.08.xsd", broken), /ReqdColltnDt/);
});

/** Any direct debits, the other way round. */
const anyTransfers: fc.Arbitrary<CreditTransferFile> = anyFile.map((file) => ({
  messageId: file.messageId,
  createdAt: file.createdAt,
  batchBooking: file.batchBooking,
  executionDate: "2026-12-01",
  debtor: file.creditor,
  transfers: file.blocks
    .flatMap(({ collections }) => collections)
    .map(({ endToEndId, instructionId, amount, debtor, remittance }) => ({
      endToEndId,
      instructionId,
      amount: cents(amount),
      creditor: debtor,
      remittance,
    })),
}));

/** The same ones in every run, so that a failure can be looked at. */
function sample<T>(arbitrary: fc.Arbitrary<T>): readonly T[] {
  return fc.sample(arbitrary, { seed: 20_261_120, numRuns: 40 });
}

function assertValid(schema: string, ...texts: readonly string[]): void {
  for (const input of texts) {
    const args = ["--nonet", "--noout", "--schema", `${SCHEMAS}/${schema}`, "-"];
    const { status, stderr } = spawnSync("xmllint", args, { input, encoding: "utf8" });
    assert.equal(status, 0, `${stderr}\n${input.slice(0, 4_000)}`);
  }
}

function reasonToSkip(): string | false {
  if (!existsSync(SCHEMAS)) return "the schemas are neither in ../shared/sepa/xsd nor in SEPA_SCHEMAS";
  return spawnSync("xmllint", ["--version"]).status === 0 ? false : "xmllint is not installed";
}
