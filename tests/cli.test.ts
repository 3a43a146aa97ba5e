/** The commands as an operator types them: exit codes, output streams, and that reading commands create nothing. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { signatureOf } from "../src/webhooks/delivery/signature.ts";
import { childEnv } from "./support/child-env.ts";

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-cli-"));
});
after(() => rm(folder, { recursive: true, force: true }));

function cli(args: readonly string[], input = "", env: Record<string, string> = {}): Promise<Ended> {
  const file = join(import.meta.dirname, "../src/cli.ts");
  return new Promise((resolve) => {
    const options = {
      env: { ...childEnv(), DATA_DIR: join(folder, "data"), ...env },
      cwd: folder,
    };
    const child = execFile(process.execPath, [file, ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
    child.stdin?.end(input);
  });
}

test("--help lists the commands on standard output and exits with 0; an unknown command exits with 2", async () => {
  for (const args of [["--help"], ["-h"], ["help"]]) {
    const { code, out, err } = await cli(args);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /books check/);
  }
  const one = await cli(["webhooks", "verify", "--help"]);
  assert.deepEqual([one.code, one.err], [0, ""]);
  assert.match(one.out, /^ {2}npm run cli -- webhooks verify --secret/);
  const unknown = await cli(["nonsense"]);
  assert.deepEqual([unknown.code, unknown.out], [2, ""]);
});

test("--version prints the package's version", async () => {
  const text = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
  assert.equal((await cli(["--version"])).out.trim(), JSON.parse(text).version);
});

test("webhooks verify exits with 1 when the signature is wrong, for use in scripts", async () => {
  const verify = (signature: string) =>
    cli(["webhooks", "verify", "--secret", "s", "--signature", signature], "{}");
  assert.equal((await verify(signatureOf("s", Buffer.from("{}")))).code, 0);
  for (const wrong of ["y", "0".repeat(64), signatureOf("s", Buffer.from("{}")).toUpperCase()]) {
    const { code, out, err } = await verify(wrong);
    assert.deepEqual([code, out], [1, ""], wrong);
    assert.notEqual(err, "");
  }
});

test("an option of another command is refused with one line", async () => {
  const { code, out, err } = await cli(["books", "check", "--gateway", "x"]);
  assert.deepEqual([code, out], [1, ""]);
  assert.equal(err, "--gateway is not an option of this command. It has no options.\nUsage: books check\n");
});

test("people invite with both a tenant and the role of operator is refused", async () => {
  const whom = ["--email", "ada@example.com", "--name", "Ada"];
  for (const company of [["--tenant", "x", "--operator"], []]) {
    const { code, out, err } = await cli(["people", "invite", ...company, ...whom]);
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^Give either --tenant ID or --operator\.\nUsage: people invite/);
  }
});

test("books check without a database reports this and creates none", async () => {
  const { code, err } = await cli(["books", "check"]);
  assert.equal(code, 1);
  assert.match(err, /^No database found: DATABASE_URL is not set and DATA_DIR .*data contains none/);
  await assert.rejects(access(join(folder, "data")));
});

test("webhooks listen on a used port reports this in one line", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { code, err } = await cli(["webhooks", "listen", "--secret", "s", "--port", String(port)]);
  server.close();
  assert.equal(code, 1);
  assert.match(
    err,
    new RegExp(`^Port ${port} is in use by another program: choose another with --port.\nUsage:`),
  );
});

test("sepa check and sepa calendar name the mistyped value in one line", async () => {
  const data = await mkdtemp(join(folder, "mistyped-"));
  await mkdir(join(data, "folder"));
  await writeFile(join(data, "text.xml"), "not a file of orders");
  await writeFile(
    join(data, "camt.xml"),
    '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt/></Document>',
  );
  await writeFile(
    join(data, "national.xml"),
    '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.008.003.02"><CstmrDrctDbtInitn/></Document>',
  );
  for (const [args, said] of [
    [
      ["sepa", "check", "text.xml", "--on", "2026-02-30"],
      /^2026-02-30 is not a day: write it as YYYY-MM-DD\.\nUsage: sepa check/,
    ],
    [["sepa", "calendar", "--due", "tomorrow"], /^tomorrow is not a day.*\nUsage: sepa calendar/],
    [["sepa", "check", "none.xml"], /^There is no such file: .*none\.xml\n$/],
    [["sepa", "check", "folder"], /^This is a folder, not a file\.\n$/],
    [["sepa", "check", "text.xml"], /^The file is not well-formed XML \([^)]+\)\.\n$/],
    [
      ["sepa", "check", "camt.xml"],
      /^This is not a file of direct debits, transfers or reversals \([^)]+\)\.\n$/,
    ],
    [
      ["sepa", "check", "national.xml"],
      /^This is pain\.008\.003\.02, .*no longer take: they take pain\.008\.001\.08 or pain\.008\.001\.02\.\n$/,
    ],
  ] as const) {
    const paths = args.map((arg) => (/\.xml$|^folder$/.test(arg) ? join(data, arg) : arg));
    const { code, out, err } = await cli(paths);
    assert.deepEqual([code, out], [1, ""], args.join(" "));
    assert.match(err, said);
  }
});
