/**
 * `npm run walks`: measures the code of one payment and of one bank return. It runs both and counts the functions in
 * the order of their first calls: their files, these files' lines, the jumps from file to file, and the jumps
 * backwards, to a function above the one last read in its file. `--json` prints the functions alone, by title.
 */
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import type { manualClock as makeClock } from "../src/lib/clock.ts";
import type { Service } from "../tests/support/service.ts";

const SRC = join(import.meta.dirname, "../src");
/**
 * Not counted: helpers without rules, the clock, the database connection, metrics and the request log, and the
 * wiring.
 */
const EVERYWHERE =
  /^(?:lib\/|files\/|embedded-postgres\/|db\/(?!idempotency|together)|tenants\/clock\/|http\/metrics\.ts|management\/request-log\/|(?:app|config|deps|refusals)\.ts)/;

type Clock = ReturnType<typeof makeClock>;

/** A function that was called. */
interface Step {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

/** The called functions of src/ since the start of recording, in the order of their first calls. */
const steps = new Map<string, Step>();
let isRecording = false;

declare global {
  // oxlint-disable-next-line no-var -- only a var is a property of globalThis
  var recordCall: (path: string, line: number, name: string, within: readonly number[]) => void;
}
/** @param within the lines of the functions around it, with which it is read. */
globalThis.recordCall = (path, line, name, within) => {
  if (!isRecording || EVERYWHERE.test(path)) return;
  if (!within.some((outer) => steps.has(`${path}:${outer}`)))
    steps.set(`${path}:${line}`, { path, line, name });
};

registerHooks({
  load(url, context, next) {
    const path = url.startsWith("file:") ? relative(SRC, fileURLToPath(url)) : "..";
    if (path.startsWith("..") || !path.endsWith(".ts")) return next(url, context);
    const source = recorded(path, readFileSync(join(SRC, path), "utf8"));
    return { format: "module-typescript", shortCircuit: true, source };
  },
});

await main();

/** Modules that import src/ are imported now, because recording has started. */
async function main(): Promise<void> {
  const { startTestServer } = await import("../scripts/test-server.ts");
  const { startService } = await import("../tests/support/service.ts");
  const { manualClock } = await import("../src/lib/clock.ts");
  const server = await startTestServer();
  Object.assign(process.env, server.env);
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-walks-"));
  try {
    const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
    const service = await startService({ clock, config: { sepaDirectory: folder } });
    const walks = {
      "One payment": await payment(service, clock),
      "One bank return": await bankReturn(service, clock, folder),
    };
    if (process.argv.includes("--json")) console.log(JSON.stringify(walks));
    else for (const [title, walk] of Object.entries(walks)) print(title, walk);
    await service.close();
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A payment at the sandbox that is approved at once, over a connection that is open. */
async function payment(service: Service, clock: Clock): Promise<readonly Step[]> {
  const { createMerchant, IBAN } = await import("../tests/support/merchant.ts");
  const merchant = await createMerchant(service);
  const pay = async (token: string) => {
    const answer = await globalThis.fetch(`${service.url}/api/v1/payment-sessions/${token}/pay/`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": token },
      body: JSON.stringify({
        iban: IBAN.approved,
        iban_holder_name: "Ada Example",
        tenant_reference_id: token,
      }),
    });
    const text = await answer.text();
    if (!text.includes('"status":"completed"')) throw new Error(`The payment is not made: ${text}`);
  };
  await pay(await merchant.session());
  const token = await merchant.session();
  // One address may pay once a second.
  clock.advance(1_000);
  return during(() => pay(token));
}

/** A statement in the account's folder with the return of a settled collection. */
async function bankReturn(service: Service, clock: Clock, folder: string): Promise<readonly Step[]> {
  const { booked, sent } = await import("../tests/support/treasury.ts");
  const { camt } = await import("../tests/support/sepa-bank.ts");
  const { fetchFiles } = await import("../src/gateways/sepa-batch/incoming/fetch.ts");
  const { findAccounts } = await import("../src/gateways/sepa-batch/files-store.ts");
  const { MINUTE_MS } = await import("../src/lib/clock.ts");
  const { merchant, references } = await sent(service, 1, { transport: { kind: "directory" } });
  const [reference = ""] = references;
  await booked(service, merchant, [["collection", { amount: "19.90", endToEndId: reference }]]);
  const inbox = join(folder, merchant.accountId, "in");
  await mkdir(inbox, { recursive: true });
  const back = { amount: "22.90", original: "19.90", endToEndId: reference, reason: "AM04" };
  await writeFile(join(inbox, "statement.xml"), camt("camt.053", "2026-11-27", [["return", back]]));
  const account = (await findAccounts(service.db, null)).find(({ id }) => id === merchant.accountId);
  if (account === undefined) throw new Error("The account is not there");
  const seen = new Map<string, number>();
  const look = () => fetchFiles(service.app.deps, account, seen, new AbortController().signal);
  // A file is read once its size has not changed.
  clock.advance(MINUTE_MS);
  await look();
  clock.advance(MINUTE_MS);
  const walk = await during(look);
  const [order] = await service.rows("select status from transactions where merchant_transaction_id = $1", [
    reference,
  ]);
  if (order?.["status"] !== "charged_back")
    throw new Error(`The transaction is ${String(order?.["status"])}`);
  return walk;
}

async function during(walk: () => Promise<unknown>): Promise<readonly Step[]> {
  steps.clear();
  isRecording = true;
  await walk();
  isRecording = false;
  return [...steps.values()];
}

function print(title: string, walk: readonly Step[]): void {
  const lastRead = new Map<string, number>();
  let jumps = 0;
  let backwards = 0;
  let at = "";
  const rows: string[] = [];
  for (const { path, line, name } of walk) {
    const isBack = (lastRead.get(path) ?? 0) > line;
    rows.push(`${isBack ? "  ^ " : "    "}${path === at ? "" : path} ${line} ${name}`);
    if (isBack) backwards += 1;
    if (path !== at) jumps += 1;
    lastRead.set(path, line);
    at = path;
  }
  const files = [...lastRead.keys()].map((path) => ({ path, lines: linesOf(path) }));
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  console.log(
    `${title}: ${files.length} files, ${lines} lines, ${jumps} jumps, ${backwards} of them backwards`,
  );
  if (process.argv.includes("--files"))
    for (const file of files) console.log(`${String(file.lines).padStart(6)} ${file.path}`);
  if (process.argv.includes("--steps")) console.log(rows.join("\n"));
}

function linesOf(path: string): number {
  return readFileSync(join(SRC, path), "utf8").split("\n").length - 1;
}

interface Insert {
  readonly at: number;
  readonly text: string;
}

/** The parser's description of a function. */
interface FunctionNode {
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name: string } | null;
  readonly body?: { readonly type: string; readonly start: number; readonly end: number } | null;
}

/** The source of a file in which each function first records its call. */
function recorded(path: string, source: string): string {
  const functions: FunctionNode[] = [];
  const add = (node: FunctionNode) => void functions.push(node);
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(parseSync(path, source).program);
  const lineOf = ({ start }: FunctionNode) => source.slice(0, start).split("\n").length;
  const inserts: Insert[] = [];
  for (const one of functions) {
    const { id, body } = one;
    if (body === null || body === undefined) continue;
    const within = functions.filter((outer) => outer.start < one.start && one.end <= outer.end).map(lineOf);
    const values = [path, lineOf(one), id?.name ?? "", within].map((value) => JSON.stringify(value));
    const call = `globalThis.recordCall(${values.join()})`;
    if (body.type === "BlockStatement" || body.type === "FunctionBody")
      inserts.push({ at: body.start + 1, text: ` ${call};` });
    else inserts.push({ at: body.start, text: `(${call}, ` }, { at: body.end, text: ")" });
  }
  let text = source;
  // The last one first; of two at one place the later one comes after.
  for (const insert of inserts.toSorted((a, b) => a.at - b.at).toReversed())
    text = text.slice(0, insert.at) + insert.text + text.slice(insert.at);
  return text;
}
