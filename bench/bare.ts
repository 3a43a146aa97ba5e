/** A minimal server on Node: `node:http` and the same reading statements, without parsing, limits or checks. */
import { createServer, type ServerResponse } from "node:http";
import pg from "pg";
import { PLANNING } from "../src/db/postgres.ts";
import type { Heard } from "./statements.ts";

interface Bare {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly statements: readonly Heard[];
  readonly answer: string;
}

let bare: Bare | null = null;
let pool: pg.Pool | null = null;

const server = createServer((incoming, response) => {
  incoming.resume();
  void respond(response);
}).listen(0, "127.0.0.1");

process.on("message", (message: Bare) => {
  bare = message;
  const { databaseUrl: connectionString, connections: max } = message;
  pool ??= new pg.Pool({ connectionString, max, options: PLANNING });
  process.send?.({});
});
process.on("disconnect", () => process.exit());
server.once("listening", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 });
});

async function respond(response: ServerResponse): Promise<void> {
  try {
    const text = await answer();
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.end(text);
  } catch {
    response.writeHead(500).end();
  }
}

async function answer(): Promise<string> {
  const { statements, answer: fixed } = bare ?? { statements: [], answer: "" };
  let rows: readonly unknown[] = [];
  for (const [index, { text, values }] of statements.entries())
    rows = (await pool?.query({ name: `${index}`, text, values: [...values] }))?.rows ?? [];
  return rows.length === 0 ? fixed : JSON.stringify(rows[0]);
}
