/**
 * `npm run bench:imports [-- LINES]`: measures the import of a processor's file, the first and the second time, and
 * the service's memory.
 */
import { request } from "node:http";
import { cpus } from "node:os";
import { Readable } from "node:stream";
import { createMerchant } from "../tests/support/merchant.ts";
import { machine, type ServiceProcess } from "../tests/support/process.ts";
import type { CallOptions, Service } from "../tests/support/service.ts";

const LINES = Number(process.argv[2] ?? 1_000_000);
const BOUNDARY = "----bench-boundary";
const MB = 1024 * 1024;

const host = await machine("");
const running: ServiceProcess = await host.start();
const service = {
  call: running.call,
  get: (path: string, options?: CallOptions) => running.call("GET", path, undefined, options),
  post: (path: string, body?: unknown, options?: CallOptions) => running.call("POST", path, body, options),
} as Service;
const merchant = await createMerchant(service);

console.log(
  `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, embedded PostgreSQL, ${LINES} lines`,
);
for (const turn of ["first", "again"]) {
  const watch = watchMemory();
  const began = performance.now();
  const report = await importOnce();
  const seconds = (performance.now() - began) / 1_000;
  const { lines, created, duplicate, rejected } = JSON.parse(report) as Record<string, number>;
  console.log(
    `${turn.padEnd(6)} ${seconds.toFixed(1)} s, ${Math.round(LINES / seconds)} lines/s: ${lines} lines, ${created} created, ` +
      `${duplicate} duplicate, ${rejected} rejected; resident at most ${watch()} MB`,
  );
}
await running.stop();
await host.remove();

function importOnce(): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `http://127.0.0.1:${host.port}/api/v1/management/imports/`,
      {
        method: "POST",
        headers: {
          authorization: `Bearer ${merchant.key}`,
          "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
        },
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve(text));
      },
    );
    outgoing.on("error", reject);
    Readable.from(form()).pipe(outgoing);
  });
}

function* form(): Generator<string> {
  const field = (name: string, value: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  yield field("kind", "transactions") + field("gateway_id", merchant.gatewayId);
  yield `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.csv"\r\n\r\n`;
  yield "unique_id,reference,status,type,amount,currency,date,iban,email,name\n";
  for (let line = 0; line < LINES; line += 1_000) {
    let chunk = "";
    for (let at = line; at < Math.min(line + 1_000, LINES); at += 1) {
      chunk += `proc-${at},order-${at},approved,sale,19.90,EUR,2026-01-31T10:00:00Z,DE****************3000,c${at}@example.com,Ada Example\n`;
    }
    yield chunk;
  }
  yield `\r\n--${BOUNDARY}--\r\n`;
}

/** The highest resident memory of the service's process until the returned function is called, in MB. */
function watchMemory(): () => number {
  let highest = 0;
  const timer = setInterval(async () => {
    const { text } = await service.get("/metrics");
    const resident = Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1] ?? 0);
    highest = Math.max(highest, resident);
  }, 500);
  return () => {
    clearInterval(timer);
    return Math.round(highest / MB);
  };
}
