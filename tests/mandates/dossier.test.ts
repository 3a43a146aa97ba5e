/** The dossier of a mandate: all evidence of it in one file for the archive, in which every change is detected. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { fonts } from "../../src/files/pdf.ts";
import { attachmentOf } from "../../src/files/pdf-attachment.ts";
import { must } from "../../src/lib/assert.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { createKeyring, defaultKeys } from "../../src/lib/keyring.ts";
import { brokenAt, chained } from "../../src/mandates/dossier/chain.ts";
import { isOurs, sealed, unsealed } from "../../src/mandates/dossier/seal.ts";
import { verifiedAlone, verifiedHere } from "../../src/mandates/dossier/verify.ts";
import { mandateWordsOf } from "../../src/payment-page/mandate-text.ts";
import { TEXTS } from "../../src/payment-page/texts/all.ts";
import { childEnv } from "../support/child-env.ts";
import { sendMessages, startMailing } from "../support/mail.ts";
import {
  createMerchant,
  createRecord,
  createTenantKey,
  IBAN,
  lead,
  type Merchant,
} from "../support/merchant.ts";
import { pdfWords } from "../support/pdf-words.ts";
import { sendForm } from "../support/page.ts";
import { OPERATOR_KEY, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-03-04T10:00:00Z"));
let service: Service;
let close: () => Promise<void>;
let merchant: Merchant;
let owner: pg.Client;
let folder: string;
let mandateId: string;
let leadId: string;
let pageId: string;

/** In three scripts; the fonts lack the last one. */
const HOLDER = "Δώρα Жукова 漢";
const EMAIL = "dora@kwyrzel.example";
/**
 * The entries' kinds. The amendments and the second debit have the same time. The chargeback's reason ends the mandate.
 */
const KINDS = "signed debit settled notice told amended amended debit settled returned ended".split(" ");

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dossier-"));
  ({ service, close } = await startMailing({ clock }));
  owner = new pg.Client({ connectionString: service.ownerUrl });
  await owner.connect();
  merchant = await createMerchant(service);
  const set = {
    name: "Söhne & Töchter",
    creditor_identifier: "DE98ZZZ09999999999",
    messages: ["pre_notification"],
  };
  const path = `management/tenants/${merchant.tenantId}/`;
  assert.equal((await service.call("PATCH", path, set, { key: OPERATOR_KEY })).status, 200);
  await live();
});
after(async () => {
  await owner.end();
  await close();
  await rm(folder, { recursive: true, force: true });
});

const send = async (path: string, body?: unknown): Promise<Json> => {
  const {
    status,
    body: answer,
    text,
  } = await service.post(`management/${path}`, body, { key: merchant.key });
  assert.ok(status < 300, text);
  return answer;
};
const read = async (path: string): Promise<Json> =>
  (await service.get(`management/${path}`, { key: merchant.key })).body;

/** A mandate that was signed on the page in Greek, collected, announced, renewed, amended and charged back. */
async function live(): Promise<void> {
  const page = await createRecord(service, merchant.key, "hosted-pages", {
    name: "P",
    mandate_acceptance_mode: "checkbox",
  });
  pageId = String(page["id"]);
  const token = await merchant.session({
    hosted_page_id: pageId,
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    amount: "29.90",
    lead: lead({ email: EMAIL, first_name: "Δώρα", last_name: "Жукова" }),
  });
  const headers = { "accept-language": "el", "user-agent": "Brauser/7 (proof)" };
  const sent = await sendForm(service, token, { iban: IBAN.approved, holder: HOLDER }, { headers });
  assert.equal(sent.status, 303, sent.words);
  const [mandate] = (await read("mandates/"))["results"];
  mandateId = mandate.id;
  leadId = mandate.lead.id;
  for (const day of ["2026-03-21", "2026-04-08"]) {
    await send("clock/", { date: `${day}T12:00:00Z` });
    await sendMessages(service.app);
    for (const name of ["announce-renewals", "renew-subscriptions"]) {
      const job = must(
        service.app.jobs.find((one) => one.name === name),
        name,
      );
      while ((await job.runOnce(job.batch)) > 0);
    }
  }
  await send(`mandates/${mandateId}/amend/`, { holder_name: "Dora Schukowa", iban: IBAN.approvedDutch });
  const [payment] = (await read(`transactions/?mandate_id=${mandateId}`))["results"];
  await send("chargebacks/", { transaction_id: payment.id, reason_code: "MD01" });
}

async function download(key = merchant.key) {
  const url = `${service.url}/api/v1/management/mandates/${mandateId}/dossier/`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const file = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, type: answer.headers.get("content-type"), file };
}

function dataOf(file: Buffer): Json {
  return JSON.parse(String(attachmentOf(file)));
}

async function verified(file: Buffer): Promise<string> {
  const { right, words } = await verifiedHere(service.app.deps, mandateWordsOf(service.db), file);
  assert.equal(right, words.endsWith("Nothing is wrong with it."), words);
  return words;
}

function isAsSealed(file: Buffer): boolean {
  const { digest, seal } = unsealed(file);
  return seal !== null && isOurs(service.app.deps.keys, digest, seal) === true;
}

/** Runs a statement that only the owner of the database may run. */
async function tamper(text: string, values: readonly unknown[] = []): Promise<void> {
  await owner.query("set session_replication_role = replica");
  const { rowCount } = await owner
    .query(text, [...values])
    .finally(() => owner.query("set session_replication_role = origin"));
  assert.ok((rowCount ?? 0) > 0, text);
}

test("a dossier has the accepted text, who accepted it and where, and every notice, debit, return and amendment", async () => {
  const { status, type, file } = await download();
  assert.equal(status, 200);
  assert.equal(type, "application/pdf");
  const data = dataOf(file);
  assert.deepEqual(
    data["entries"].map(({ kind }: Json) => kind),
    KINDS,
  );
  const { facts, at } = data["entries"][0];
  assert.equal(at, "2026-03-04T10:00:00.000Z");
  assert.equal(facts.holder_name, HOLDER, "as it was signed, not as it was amended");
  assert.match(facts.account, /^DE\*+3000$/);
  assert.deepEqual(
    [facts.accepted_user_agent, facts.page, facts.text_as_accepted],
    ["Brauser/7 (proof)", `payment page ${pageId}`, true],
  );
  assert.match(facts.accepted_ip, /^127\./);
  assert.match(facts.text.join(" "), /Εξουσιοδοτείτε τον δικαιούχο Söhne & Töchter/);
  assert.equal(data["wallet_presentation"], null);
  const told = data["entries"].find(({ kind }: Json) => kind === "told");
  assert.equal(told.facts.recipient, EMAIL);
  const words = pdfWords(file);
  assert.match(words, /As it was signed: Εντολή άμεσης χρέωσης SEPA/);
  assert.match(words, /Brauser\/7 \(proof\)/);
  assert.match(words, /Δώρα Жукова \u{fffd}/u);
  assert.ok(!words.includes(IBAN.approved) && !JSON.stringify(data).includes(IBAN.approved));
});

test("a dossier verifies, and the audit log names its hash", async () => {
  const { file } = await download();
  const words = await verified(file);
  assert.match(words, /The seal is this service's\.\nThe audit log: made at .* for /);
  assert.match(words, /What is stored says the same\.\nNothing is wrong with it\./);
  const [entry] = await service.rows(
    "select after ->> 'sha256' as sha256, actor from audit_log where resource = 'mandate-dossiers' order by at desc, id desc limit 1",
  );
  assert.equal(entry?.["sha256"], unsealed(file).digest);
  assert.match(entry?.["actor"], /^key:/);
});

test("every changed, removed or added byte is detected, without any key", async () => {
  const { file } = await download();
  assert.ok(verifiedAlone(file).right);
  const end = file.length - 600;
  for (let at = 0; at < file.length; at += at < end ? 41 : 1) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 0x20;
    assert.ok(!isAsSealed(changed), `byte ${at}`);
  }
  for (const other of [
    file.subarray(0, -1),
    Buffer.concat([file, Buffer.from("\n")]),
    Buffer.from("no PDF"),
  ]) {
    assert.equal(verifiedAlone(other).right, false);
  }
});

test("the service, which has the key, detects recomputed hashes; a changed entry is detected by its chain", async () => {
  const { file } = await download();
  const seal = file.toString("latin1").match(/%mandate-dossier 1 .*\n/)?.[0] ?? "";
  const bare = Buffer.from(
    file.toString("latin1").replace(seal, "").replace("/Creator", "/creator"),
    "latin1",
  );
  const forged = sealed(createKeyring(defaultKeys(Buffer.alloc(32, 9))), bare).file;
  assert.ok(verifiedAlone(forged).right, "its own hashes are right");
  const words = await verified(forged);
  assert.match(
    words,
    /The (key of the seal is not one of this service's|seal was not made with this service's keys)/,
  );
  assert.match(words, /The audit log has no entry of this file/);
  const entries = dataOf(file)["entries"];
  const subject = {
    format: "mandate-dossier/1",
    tenant_id: merchant.tenantId,
    mandate_id: mandateId,
  } as const;
  assert.deepEqual(brokenAt(subject, entries), []);
  const changed = entries.map((entry: Json) =>
    entry["number"] === 3 ? { ...entry, facts: { ...entry["facts"], amount: "0.01" } } : entry,
  );
  assert.deepEqual(brokenAt(subject, changed), [3]);
  assert.deepEqual(brokenAt(subject, entries.toSpliced(3, 1)).slice(0, 1), [4]);
  for (const field of ["number", "at", "kind", "id", "text", "facts", "hash"]) {
    const other = entries.with(2, { ...entries[2], [field]: "other" });
    assert.equal(brokenAt(subject, other)[0], 3, field);
  }
  const again = chained(subject, changed.slice(0, 3));
  assert.deepEqual(
    brokenAt(subject, [...again, ...entries.slice(3)]),
    [4],
    "the next one does not follow from an entry that was chained anew",
  );
});

test("a seal with another code is not accepted, and a file that the service did not make is not in its audit log even if it has the service's seal", async () => {
  const { file } = await download();
  const text = file.toString("latin1");
  const [seal = "", code = ""] = /%mandate-dossier 1 .* ([0-9a-f]{64})\n/.exec(text) ?? [];
  const other = code.startsWith("0") ? `1${code.slice(1)}` : `0${code.slice(1)}`;
  const forged = Buffer.from(text.replace(code, other), "latin1");
  assert.ok(verifiedAlone(forged).right, "its hashes are right");
  const words = await verified(forged);
  assert.match(words, /The seal was not made with this service's keys/);
  assert.match(words, /The audit log: made at /);
  const bare = Buffer.from(text.replace(seal, "").replace("/Creator", "/creator"), "latin1");
  const ours = await verified(sealed(service.app.deps.keys, bare).file);
  assert.match(ours, /The seal is this service's/);
  assert.match(ours, /The audit log has no entry of this file/);
  assert.match(ours, /Findings: 1\./);
});

test("a later change of the database is detected; later additions are not a difference", async () => {
  const { file } = await download();
  const [refundable] = (await read(`transactions/?mandate_id=${mandateId}&status=approved`))["results"];
  await send(`transactions/${refundable.id}/refunds/`, {});
  assert.match(await verified(file), /Entries that came later: [12]\.\nNothing is wrong/);
  await tamper("update mandates set accepted_ip = '192.0.2.1' where id = $1", [mandateId]);
  assert.match(await verified(file), /Entry 1 \(.*\) is stored with other values: accepted_ip\./);
  await tamper("update mandates set accepted_ip = $2 where id = $1", [
    mandateId,
    dataOf(file)["entries"][0].facts.accepted_ip,
  ]);
  const signed = dataOf(file)["entries"][0].at;
  await tamper("update mandates set accepted_at = accepted_at + interval '1 hour' where id = $1", [
    mandateId,
  ]);
  assert.match(
    await verified(file),
    /Entry 1 \(.*\) is stored with other values: at\./,
    "the time of the signature",
  );
  await tamper("update mandates set accepted_at = $2 where id = $1", [mandateId, signed]);
  assert.match(await verified(file), /Nothing is wrong/);
  await tamper("delete from notices where mandate_id = $1", [mandateId]);
  const words = await verified(file);
  assert.match(words, /Entry 5 \(Told by e-mail .*\) is no longer stored\./);
  assert.match(words, /Entries that came later: [12]\./, "those that came are counted, whatever is gone");
});

/**
 * Runs `mandates verify`, with the service's database or on another machine. The command runs as a child process
 * without blocking, because the service runs in this process and its connections would be closed as idle.
 */
async function command(path: string, database: Readonly<Record<string, string>>) {
  const cli = join(import.meta.dirname, "../../src/cli.ts");
  const env = { ...childEnv(), DATA_DIR: join(folder, "nothing"), ...database };
  const child = spawn(process.execPath, [cli, "mandates", "verify", path], { env });
  let words = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (words += text));
  }
  const [status] = (await once(child, "close")) as [number | null];
  return { status, words };
}

test("`mandates verify` exits with 1 when something is wrong, with a database and without", async () => {
  const path = join(folder, "given.pdf");
  const { file } = await download();
  await writeFile(path, file);
  const [key] = service.config.masterKeys;
  const here = { DATABASE_URL: service.databaseUrl, MASTER_KEYS: must(key, "a key").toString("base64") };
  const known = await command(path, here);
  assert.deepEqual([known.status, /The seal is this service's\./.test(known.words)], [0, true], known.words);
  const alone = await command(path, {});
  assert.deepEqual(
    [alone.status, /itself only: there is no database/.test(alone.words)],
    [0, true],
    alone.words,
  );
  file[100] = (file[100] ?? 0) ^ 1;
  await writeFile(path, file);
  for (const database of [here, {}]) {
    const { status, words } = await command(path, database);
    assert.deepEqual([status, /changed after it was sealed/.test(words)], [1, true], words);
  }
});

test("a dossier has no debit of another mandate of the same customer", async () => {
  const references = async () => {
    const { entries } = dataOf((await download()).file);
    return entries.filter(({ kind }: Json) => kind === "debit").map(({ id }: Json) => id);
  };
  const before = await references();
  const token = await merchant.session({
    lead: lead({ email: EMAIL, first_name: "Δώρα", last_name: "Жукова" }),
  });
  const paid = await merchant.pay(token, IBAN.approvedDutch);
  assert.equal(paid.body["status"], "completed", paid.text);
  const [row] = await service.rows("select lead_id, mandate_id from transactions where id = $1", [
    paid.body["transaction"].id,
  ]);
  assert.equal(row?.["lead_id"], leadId);
  assert.notEqual(row?.["mandate_id"], mandateId);
  assert.deepEqual(await references(), before);
});

test("a presentation from a wallet is stored once, encrypted, and chained in the dossier; a changed byte of it is detected", async () => {
  const other = await createMerchant(service);
  const paid = (await other.pay(await other.session(), IBAN.approved)).body;
  const [row] = await service.rows("select mandate_id as id from transactions where id = $1", [
    paid["transaction"].id,
  ]);
  const path = `management/mandates/${row?.["id"]}`;
  const presentation = "eyJhbGciOiJFUzI1NiJ9.eyJub25jZSI6IjEifQ.c2lnbmF0dXJl~WyJzYWx0Il0~";
  const give = (body: object, key = other.key) => service.post(`${path}/wallet-presentation/`, body, { key });
  const madeNow = async () => {
    const answer = await fetch(`${service.url}/api/v1/${path}/dossier/`, {
      headers: { authorization: `Bearer ${other.key}` },
    });
    return Buffer.from(await answer.arrayBuffer());
  };
  const without = await madeNow();
  assert.doesNotMatch(await verified(without), /that came later/);
  const given = await give({ format: "dc+sd-jwt", presentation });
  assert.equal(given.status, 200, given.text);
  const sha256 = createHash("sha256").update(presentation).digest("hex");
  const { format, sha256: kept } = given.body["evidence"].wallet_presentation;
  assert.deepEqual([format, kept], ["dc+sd-jwt", sha256]);
  assert.equal((await give({ format: "dc+sd-jwt", presentation })).status, 200, "the same again");
  assert.equal((await give({ format: "dc+sd-jwt", presentation: `${presentation}x` })).status, 409);
  assert.equal((await give({ format: "jwt_vp", presentation })).status, 409);
  assert.equal((await give({ format: "dc+sd-jwt", presentation: "two words, no presentation" })).status, 400);
  assert.equal((await give({ format: "dc+sd-jwt", presentation }, merchant.key)).status, 404);
  const [stored] = await service.rows("select wallet_presentation as bytes from mandates where id = $1", [
    row?.["id"],
  ]);
  assert.ok(!must(stored?.["bytes"] as Buffer, "what is kept").includes("eyJ"), "sealed");

  assert.match(await verified(without), /\nEntries that came later: 1\.\nNothing is wrong/);
  const file = await madeNow();
  const data = dataOf(file);
  const entry = data["entries"].find(({ kind }: Json) => kind === "presented");
  assert.deepEqual([entry.facts.presentation, entry.facts.sha256], [presentation, sha256]);
  assert.equal(data["wallet_presentation"].sha256, sha256);
  assert.match(await verified(file), /Nothing is wrong with it/);
  const sealed = service.app.deps.keys.seal(
    (await service.rows("select tenant from mandates where id = $1", [row?.["id"]]))[0]?.["tenant"] as number,
    `mandates.wallet_presentation:${row?.["id"]}`,
    presentation.replace("eyJub25", "eyJub24"),
  );
  await service.rows("update mandates set wallet_presentation = $2 where id = $1", [row?.["id"], sealed]);
  assert.match(await verified(file), /is stored with other values: presentation/);
});

test("neither another tenant nor a key without the scope gets a dossier", async () => {
  assert.equal((await download(await createTenantKey(service))).status, 404);
  const made = await send("api-keys/", { name: "Pays", scopes: ["payments"] });
  assert.equal((await download(made["api_key"])).status, 403);
});

test("a dossier contains the date of its customer's erasure, and a dossier made before still verifies", async () => {
  const { file } = await download();
  await send(`customers/${leadId}/erase/`, { give_up_evidence: true });
  const after = await download();
  const data = dataOf(after.file);
  assert.ok(data["erased_at"]);
  const said = JSON.stringify(data);
  for (const word of [HOLDER, EMAIL, "Brauser/7", "Dora Schukowa"]) assert.ok(!said.includes(word), word);
  assert.equal(data["entries"][0].facts.holder_name, "erased");
  assert.match(await verified(after.file), /Nothing is wrong with it/);
  assert.match(
    await verified(file),
    /The customer was erased: what was personal cannot be compared\.\nWhat is stored says the same\.\n.*Nothing is wrong with it\.$/s,
  );
  await tamper("update transactions set amount = amount + 1 where mandate_id = $1", [mandateId]);
  assert.match(await verified(after.file), /Entry 2 \(.*\) is stored with other values: amount\./);
});

test("the fonts have every letter of the page's languages", async () => {
  const known = new Set((await fonts()).regular.font.characterSet);
  const missing = Object.entries(TEXTS).flatMap(([language, texts]) =>
    (
      JSON.stringify(texts)
        .normalize("NFC")
        .match(/[^\p{Cc}\p{Cf}]/gu) ?? []
    )
      .filter((letter) => !known.has(letter.codePointAt(0) ?? 0))
      .map((letter) => `${language}: ${letter}`),
  );
  assert.deepEqual([...new Set(missing)], []);
  assert.equal(Object.keys(TEXTS).length, 34);
});

test("a dossier is PDF/A-3b as far as it can be checked without a validator", async () => {
  const { file } = await download();
  const text = file.toString("latin1");
  assert.match(text, /^%PDF-1\.7\n%[\x80-\xff]{4}/);
  assert.match(text, /<pdfaid:part>3<\/pdfaid:part>\s*<pdfaid:conformance>B</);
  assert.match(text, /\/S \/GTS_PDFA1/);
  assert.equal(text.match(/\/Type \/FontDescriptor/g)?.length, text.match(/\/FontFile2 /g)?.length);
  assert.doesNotMatch(text, /\/(Encrypt|JavaScript|JS|Launch|URI|SubmitForm|Movie|Sound|RichMedia) /);
  assert.match(text, /\/AFRelationship/);
});

const missing = ["qpdf", "pdffonts", "pdftotext", "pdftoppm"].filter(
  (program) => spawnSync(program, ["--version"]).error !== undefined,
);
const skip =
  missing.length === 0 ? false : `no ${missing.join(", ")}: install Debian's poppler-utils and qpdf`;

test(
  "other programs read a dossier without errors, find its embedded fonts and its text, and draw its pages",
  { skip },
  async () => {
    const path = join(folder, "dossier.pdf");
    await writeFile(path, (await download()).file);
    const run = (program: string, ...args: readonly string[]) =>
      execFileSync(program, [...args], { encoding: "utf8" });
    assert.match(run("qpdf", "--check", path), /No syntax or stream encoding errors found/);
    const listed = run("pdffonts", path).trim().split("\n").slice(2);
    assert.equal(listed.length, 2);
    for (const line of listed) assert.match(line, /NotoSans-\w+\s+CID TrueType\s+Identity-H\s+yes yes yes/);
    const words = run("pdftotext", "-layout", path, "-").replace(/\s+/g, " ");
    assert.match(words, /As it was signed: Εντολή άμεσης χρέωσης SEPA/);
    assert.match(words, /The customer was erased at/);
    run("pdftoppm", "-r", "30", "-png", path, join(folder, "page"));
    assert.ok((await readdir(folder)).filter((name) => name.endsWith(".png")).length >= 2);
  },
);
