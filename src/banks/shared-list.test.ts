/** How many known BICs the service finds: for IBANs in banks' own documents, and for every code of the list. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { testDatabase } from "../../tests/support/database.ts";
import { manualClock } from "../lib/clock.ts";
import { checkIban } from "../sepa/iban.ts";
import { createBankDirectory } from "./directory.ts";

const database = await testDatabase();
after(() => database.close());
const directory = await createBankDirectory(database.db, manualClock(new Date("2026-07-23T12:00:00Z")));

/** Searches next to the checkout, and next to each of its parent folders. */
function findShared(from: string): string | null {
  const folder = join(from, "shared");
  if (existsSync(join(folder, "banks/banks.tsv"))) return folder;
  return dirname(from) === from ? null : findShared(dirname(from));
}

const FOLDER = findShared(import.meta.dirname);
if (FOLDER === null) console.log("no shared/banks near this checkout: what it knows is not compared");
const HERE = { skip: FOLDER === null };

/** The bank next to an account: a debtor's, a creditor's, or the one that services a statement's account. */
const BESIDE = [
  /<DbtrAgt><FinInstnId><BIC(?:FI)?>(?<bic>\w+)<.*?<DbtrAcct><Id><IBAN>(?<iban>\w+)</g,
  /<CdtrAcct><Id><IBAN>(?<iban>\w+)<(?:(?!<DrctDbtTxInf>).)*?<CdtrAgt><FinInstnId><BIC(?:FI)?>(?<bic>\w+)</g,
  /<Acct><Id><IBAN>(?<iban>\w+)<(?:(?!<\/Acct>).)*?<Svcr><FinInstnId><BIC(?:FI)?>(?<bic>\w+)</g,
] as const;

/** From examples with fictitious data: no bank has the BIC, or another bank has the account's code. */
const MADE_UP = new Set(["BANKDEFFXXX", "SPUEDE2UXXX", "KKKKDEFFXXX", "UBSWCHZH80A"]);

test(
  "an account in a published bank file gets the bank that the file names, or none, and never another one",
  HERE,
  () => {
    const files = globSync("sepa/fixtures/**/*.xml", { cwd: FOLDER ?? "" });
    const texts = files.map((name) =>
      readFileSync(join(FOLDER ?? "", name), "utf8").replaceAll(/>\s+</g, "><"),
    );
    const named = texts.flatMap((text) =>
      BESIDE.flatMap((beside) => [...text.matchAll(beside)].map(({ groups }) => groups ?? {})),
    );
    const byIban = new Map(
      named.map(({ iban = "", bic = "" }) => [iban, bic] as const).filter(([, bic]) => !MADE_UP.has(bic)),
    );
    const wrong: string[] = [];
    let found = 0;
    let valid = 0;
    for (const [iban, bic] of byIban) {
      const checked = checkIban(iban);
      if (!checked.valid) continue;
      valid += 1;
      const ours = directory.lookUp(checked).bic;
      if (ours === null) continue;
      found += 1;
      if (ours.slice(0, 8) !== bic.slice(0, 8)) wrong.push(`${iban.slice(0, 4)}…: ${ours}, not ${bic}`);
    }
    console.log(`BICs of ${valid} accounts in published files: ${found} found`);
    assert.ok(found >= 3, `${found} of ${valid}`);
    assert.deepEqual(wrong, []);
  },
);

test(
  "each code of the list has its bank's BIC (in Germany perhaps that of a newer list), and none another bank's",
  HERE,
  () => {
    const [, ...lines] = readFileSync(join(FOLDER ?? "", "banks/banks.tsv"), "utf8")
      .trimEnd()
      .split("\n");
    const counts = { codes: 0, found: 0, newer: 0, missing: 0 };
    const wrong: string[] = [];
    for (const line of lines) {
      const [country = "", bankCode = "", bic = ""] = line.split("\t");
      if (bic === "") continue;
      counts.codes += 1;
      const ours = directory.lookUp({ country, bankCode }).bic;
      if (ours === bic) counts.found += 1;
      else if (country === "DE") counts[ours === null ? "missing" : "newer"] += 1;
      else wrong.push(`${country} ${bankCode}: ${ours ?? "none"}, not ${bic}`);
    }
    const { codes, found, newer, missing } = counts;
    console.log(
      `BICs of ${codes} codes: ${found} found, ${newer} of Germany's newer list, ${missing} not in that any more`,
    );
    assert.deepEqual(wrong.slice(0, 10), []);
    assert.ok(found > 0.95 * codes, `${found} of ${codes}`);
  },
);

test("95 % of the codes in another package's list have the same bank here, and at most 20 another one", () => {
  const folder = join(import.meta.dirname, "../../node_modules/iban-to-bic/datasets");
  const counts = { same: 0, branch: 0, another: 0, missing: 0 };
  for (const country of ["AT", "BE", "DE", "ES", "FR", "LU", "NL"]) {
    const list: Readonly<Record<string, string>> = JSON.parse(
      readFileSync(join(folder, `${country.toLowerCase()}.json`), "utf8"),
    );
    for (const [bankCode, bic] of Object.entries(list)) {
      const ours = directory.lookUp({ country, bankCode }).bic;
      const isSame = (letters: number) => ours?.slice(0, letters) === bic.slice(0, letters);
      counts[ours === null ? "missing" : isSame(8) ? "same" : isSame(4) ? "branch" : "another"] += 1;
    }
  }
  const { same, branch, another, missing } = counts;
  const all = same + branch + another + missing;
  console.log(
    `BICs of ${all} codes of iban-to-bic: ${same} the same, ${branch} of another branch, ${another} others, ${missing} not found`,
  );
  assert.ok(all > 5_000 && same + branch > 0.95 * all, `${same} and ${branch} of ${all}`);
  // Banks that have merged or changed their names since that list was created.
  assert.ok(another <= 20, `${another} of another bank`);
});
