/**
 * `npm run bench:uploads [-- MIB]`: measures large uploads: the service's memory, the time until one that is too
 * large is refused, and the duration of other requests meanwhile. MIB is the size of the valid statement (512 unless
 * given).
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "./processes.ts";
import { startInstance, type Instance } from "./service.ts";

const MIB = 1_024 ** 2;
const STATEMENT_MIB = Number(process.argv[2] ?? 512);
const TOO_LARGE_MIB = 600;
const AT_ONCE = 8;
const AT_ONCE_MIB = 64;
const IDLE_S = 10;
/** The interval of other requests, on separate connections. */
const PROBE_EVERY_MS = 50;
const SAMPLE_EVERY_MS = 100;
const UPLOAD_MS_MAX = 20 * 60_000;
const CREDITOR_IBAN = "DE89370400440532013000";
const BOUNDARY = "----bench";
const CHUNK_BYTES = 64 * 1_024;

const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-bench-"));
const service = await startInstance({ dataDir, databaseUrl: null, profileDir: null, checkout: null });
const agent = new Agent({ keepAlive: true });
try {
  const operator = (await readFile(join(dataDir, "operator.key"), "utf8")).trim();
  const { key, gateway } = await account(operator);
  await sleep(2_000);
  console.log("| | answer | sent | seconds | most memory above idle | p50 / p99 of other requests |");
  console.log("|---|---|---|---|---|---|");
  await report("idle", key, async () => {
    await sleep(IDLE_S * 1_000);
    return [];
  });
  // Incompressible data is the most expensive.
  const noise = randomBytes(MIB);
  const tooLarge = () => Array.from({ length: TOO_LARGE_MIB }, () => noise);
  await report(`${TOO_LARGE_MIB} MiB announced`, key, () => uploads(key, gateway, 1, tooLarge, true));
  await report(`${TOO_LARGE_MIB} MiB in chunks`, key, () => uploads(key, gateway, 1, tooLarge, false));
  const whole = statement(STATEMENT_MIB);
  await report(`statement of ${STATEMENT_MIB} MiB`, key, () => uploads(key, gateway, 1, whole, true));
  await report(`${AT_ONCE} statements of ${AT_ONCE_MIB} MiB at once`, key, () =>
    uploads(key, gateway, AT_ONCE, statement(AT_ONCE_MIB), true),
  );
} finally {
  agent.destroy();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit(0);

interface Sent {
  readonly status: number | string;
  readonly bytes: number;
}

async function account(operator: string): Promise<{ readonly key: string; readonly gateway: string }> {
  const tenant = await call("POST", "management/tenants/", operator, { name: "Bench" });
  const key = JSON.parse(tenant.text)["api_key"] as string;
  const made = await call("POST", "management/gateways/", key, {
    name: "Bank",
    adapter: "sepa_batch",
    test_mode: true,
    settings: {
      creditor_name: "Shop",
      creditor_iban: CREDITOR_IBAN,
      creditor_identifier: "DE98ZZZ09999999999",
    },
  });
  return { key, gateway: JSON.parse(made.text)["id"] as string };
}

async function report(what: string, key: string, work: () => Promise<readonly Sent[]>): Promise<void> {
  const { pid } = service;
  const idle = memoryOf(pid).residentMb;
  let most = 0;
  const sampling = setInterval(() => (most = Math.max(most, memoryOf(pid).residentMb)), SAMPLE_EVERY_MS);
  const probing = probe(key);
  const began = performance.now();
  const sent = await work();
  const seconds = (performance.now() - began) / 1_000;
  const times = await probing();
  clearInterval(sampling);
  const megabytes = sent.map(({ bytes }) => Math.round(bytes / MIB)).join(", ");
  const answers = sent.map(({ status }) => status).join(", ");
  const at = (part: number) => times[Math.floor(times.length * part)]?.toFixed(0) ?? "none";
  console.log(
    `| ${what} | ${answers} | ${megabytes} MiB | ${seconds.toFixed(1)} | ${Math.round(most - idle)} MB (idle ${Math.round(idle)}) ` +
      `| ${at(0.5)} / ${at(0.99)} ms of ${times.length} |`,
  );
  await sleep(3_000);
}

/** Requests a list at a steady rate. @returns a function that ends this and returns the sorted times. */
function probe(key: string): () => Promise<readonly number[]> {
  const times: number[] = [];
  const running = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const began = performance.now();
    const one = call("GET", "management/gateways/", key)
      // A failed one counts as infinite.
      .then(
        () => void times.push(performance.now() - began),
        () => void times.push(Number.POSITIVE_INFINITY),
      )
      .finally(() => running.delete(one));
    running.add(one);
  }, PROBE_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.allSettled(running);
    return times.toSorted((a, b) => a - b);
  };
}

function call(
  method: string,
  path: string,
  key: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...target(service, path),
        method,
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function target({ port }: Instance, path: string) {
  return { host: "127.0.0.1", port, path: `/api/v1/${path}` };
}

function uploads(
  key: string,
  gateway: string,
  count: number,
  file: () => Iterable<Buffer>,
  announced: boolean,
): Promise<readonly Sent[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => upload(key, gateway, file, announced, n)));
}

/** Sends a form as fast as it is accepted, until the response. */
function upload(
  key: string,
  gateway: string,
  file: () => Iterable<Buffer>,
  announced: boolean,
  number: number,
): Promise<Sent> {
  const head = Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="gateway_id"\r\n\r\n${gateway}\r\n` +
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="s.xml"\r\n\r\n`,
  );
  // Each file is different, because the same one would be read once.
  const tail = Buffer.from(`${" ".repeat(number)}\r\n--${BOUNDARY}--\r\n`);
  let length = head.length + tail.length;
  if (announced) for (const part of file()) length += part.length;
  return new Promise((resolve) => {
    let bytes = 0;
    const outgoing = request({
      ...target(service, "management/sepa-files/"),
      method: "POST",
      timeout: UPLOAD_MS_MAX,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
        ...(announced ? { "content-length": length } : { "transfer-encoding": "chunked" }),
      },
    });
    const state = { over: false };
    const end = (status: number | string): void => {
      state.over = true;
      resolve({ status, bytes });
    };
    outgoing.on("response", (response) => {
      response.resume();
      end(response.statusCode ?? 0);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    const closed = once(outgoing, "close").catch(() => {});
    function* parts(): Generator<Buffer> {
      yield head;
      yield* file();
      yield tail;
    }
    const send = async (): Promise<void> => {
      for (const part of parts()) {
        for (let from = 0; from < part.length && !state.over; from += CHUNK_BYTES) {
          const piece = part.subarray(from, from + CHUNK_BYTES);
          bytes += piece.length;
          if (outgoing.write(piece)) continue;
          await Promise.race([once(outgoing, "drain").catch(() => {}), closed]);
        }
      }
      if (state.over) outgoing.destroy();
      else outgoing.end();
    };
    void send();
  });
}

/** A camt.053 of credit transfers without the service's references. */
function statement(mib: number): () => Iterable<Buffer> {
  const entry = (n: string) =>
    `<Ntry><Amt Ccy="EUR">19.90</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-25</Dt></BookgDt><ValDt><Dt>2026-11-25</Dt></ValDt><AcctSvcrRef>R${n}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls><Refs><EndToEndId>E2E-${n}</EndToEndId></Refs><RltdPties><Dbtr><Pty><Nm>Erika Mustermann</Nm></Pty></Dbtr></RltdPties><RmtInf><Ustrd>Invoice ${n} of last month, with thanks</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`;
  const head = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>B</MsgId><CreDtTm>2026-11-25T20:00:00Z</CreDtTm></GrpHdr><Stmt><Id>S</Id><CreDtTm>2026-11-25T20:00:00Z</CreDtTm><Acct><Id><IBAN>${CREDITOR_IBAN}</IBAN></Id></Acct>`,
  );
  const tail = Buffer.from("</Stmt></BkToCstmrStmt></Document>");
  const one = Buffer.byteLength(entry("000000000"));
  const perPart = Math.floor(MIB / one);
  const entries = Math.floor((mib * MIB - head.length - tail.length - AT_ONCE) / one);
  return function* parts() {
    yield head;
    for (let from = 0; from < entries; from += perPart) {
      const until = Math.min(entries, from + perPart);
      let text = "";
      for (let n = from; n < until; n += 1) text += entry(String(n).padStart(9, "0"));
      yield Buffer.from(text);
    }
    yield tail;
  };
}
