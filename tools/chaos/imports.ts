/**
 * Files that a merchant imports while processes die: sent slowly, and repeated until they are accepted; then every
 * row exists once.
 */
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { IBAN } from "../../tests/support/merchant.ts";
import { uploadForm } from "../../tests/support/upload.ts";
import { answerTo, classOf, type Answer } from "./ask.ts";
import type { Random } from "../random.ts";
import { count, type Tally } from "./tally.ts";
import type { Shop, World } from "./world.ts";

type Kind = "transactions" | "chargebacks" | "mandates";

/** A file that is imported until the service reports that it is complete. */
export interface ImportedFile {
  readonly shop: Shop;
  readonly kind: Kind;
  /** The prefix of its rows' ids, unique among files of its kind. */
  readonly mark: string;
  readonly rows: number;
  readonly csv: string;
  done: boolean;
}

interface Importing {
  readonly world: World;
  readonly random: Random;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

const ROWS: Readonly<Record<Kind, number>> = { transactions: 600, chargebacks: 24, mandates: 600 };
let sets = 0;

/** A merchant's payments, their chargebacks and mandates at another processor, each a file. */
export function filesOf(shop: Shop): readonly ImportedFile[] {
  sets += 1;
  const mark = `${shop.mark}-set${sets}`;
  const kinds = Object.keys(ROWS) as Kind[];
  return kinds.map((kind) => ({ shop, kind, mark, rows: ROWS[kind], csv: csvOf(kind, mark), done: false }));
}

function csvOf(kind: Kind, mark: string): string {
  const numbers = Array.from({ length: ROWS[kind] }, (_, number) => number);
  const [header, line] = COLUMNS[kind];
  return [header, ...numbers.map((number) => line(mark, number))].join("\n");
}

const COLUMNS: Readonly<
  Record<Kind, readonly [header: string, line: (mark: string, number: number) => string]>
> = {
  transactions: [
    "unique_id,merchant_reference,status,type,amount,currency,date,iban",
    (mark, number) =>
      `${mark}-${number},${mark}-order-${number},approved,sale,19.90,EUR,2026-01-31T10:00:00Z,${IBAN.approved}`,
  ],
  chargebacks: [
    "unique_id,original_transaction_id,amount,currency,date,reason_code",
    (mark, number) => `${mark}-back-${number},${mark}-${number * 25},19.90,EUR,2026-02-15,MD06`,
  ],
  mandates: [
    "mandate_reference,signed_on,holder_name,iban,email",
    (mark, number) =>
      `${mark}-${number},2026-01-15,Ada Example,${IBAN.approved},${mark}-${number}@example.com`,
  ],
};

/** Sends all unfinished files concurrently, until they are accepted or the signal aborts. */
export async function importOpen(importing: Importing): Promise<void> {
  const open = importing.world.imports.filter(({ done }) => !done);
  await Promise.all(open.map((file) => importUntilDone(importing, file, importing.random.fork())));
}

const AGAIN_MS = 200;

async function importUntilDone(
  { world, tally, signal }: Importing,
  file: ImportedFile,
  random: Random,
): Promise<void> {
  while (!file.done && !signal.aborted) {
    const answer = await send(random.pick(world.instances).url, file);
    count(tally.answers, classOf(answer));
    tally.slowestMs = Math.max(tally.slowestMs, answer.ms);
    if (answer.status === 201) file.done = true;
    else if (answer.status >= 500 && answer.status !== 503)
      tally.violations.push(
        `an import of ${file.kind} answered ${answer.status}: ${answer.text.slice(0, 200)}`,
      );
    else if (answer.status !== 201) await sleep(AGAIN_MS);
  }
}

const PIECES = 20;
const PIECE_MS = 40;

/** In pieces, so that faults occur meanwhile. */
function send(base: string, { shop, kind, csv, mark }: ImportedFile): Promise<Answer> {
  const path = kind === "mandates" ? "mandates/import/" : "imports/";
  const fields = kind === "mandates" ? {} : { kind, gateway_id: shop.merchant.gatewayId };
  const { body, headers } = uploadForm(csv, { name: `${mark}-${kind}.csv`, fields });
  const outgoing = request(`${base}/api/v1/management/${path}`, {
    method: "POST",
    agent: false,
    headers: { ...headers, authorization: `Bearer ${shop.merchant.key}`, "content-length": body.length },
  });
  void inPieces(body, (piece) => outgoing.write(piece)).finally(() => outgoing.end());
  return answerTo(outgoing);
}

async function inPieces(body: Buffer, write: (piece: Buffer) => void): Promise<void> {
  const size = Math.ceil(body.length / PIECES);
  for (let at = 0; at < body.length; at += size) {
    write(body.subarray(at, at + size));
    await sleep(PIECE_MS);
  }
}

/** The rows of a file, by its mark: `$1` the tenant, `$2` the mark. */
const THERE: Readonly<Record<Kind, string>> = {
  transactions:
    "select count(*)::integer as rows from transactions where tenant = $1 and adapter_unique_id ^@ ($2 || '-')",
  chargebacks:
    "select count(*)::integer as rows from chargebacks where tenant = $1 and adapter_unique_id ^@ ($2 || '-') and transaction_id is not null",
  mandates: "select count(*)::integer as rows from mandates where tenant = $1 and reference ^@ ($2 || '-')",
};

/** Every row exists once, every chargeback belongs to its transaction, and the reports agree. */
export async function wrongImports(world: World): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { shop, kind, mark, rows } of world.imports) {
    const [tenant] = await world.rows("select tenant from tenants where id = $1", [shop.merchant.tenantId]);
    const [there] = await world.rows(THERE[kind], [tenant?.["tenant"], mark]);
    if (there?.["rows"] !== rows)
      wrong.push(`${there?.["rows"]} of ${rows} ${kind} of ${mark} are there, as they should be`);
    if (kind !== "mandates")
      wrong.push(...(await wrongReports(world, tenant?.["tenant"], `${mark}-${kind}.csv`, rows)));
  }
  return wrong;
}

async function wrongReports(
  world: World,
  tenant: number,
  name: string,
  rows: number,
): Promise<readonly string[]> {
  const reports = await world.rows(
    "select status, lines, created, duplicate, rejected from imports where tenant = $1 and file_name = $2",
    [tenant, name],
  );
  const created = reports.reduce((sum, report) => sum + Number(report["created"]), 0);
  return [
    ...(created === rows ? [] : [`the reports of ${name} say that ${created} of ${rows} rows were created`]),
    ...reports.flatMap((report) => {
      const { status, lines, duplicate, rejected } = report;
      const whole = status !== "done" || lines === rows;
      return whole && lines === report["created"] + duplicate + rejected && rejected === 0
        ? []
        : [`a report of ${name} says ${JSON.stringify(report)}`];
    }),
  ];
}
