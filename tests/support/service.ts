/** The whole service with its own database, listening on loopback: tests call it like a merchant's server. */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { createApp, type App, type Overrides } from "../../src/app.ts";
import type { Config } from "../../src/config.ts";
import type { Database } from "../../src/db/database.ts";
import { silentLog } from "../../src/lib/log.ts";
import { onClock } from "./database-clock.ts";
import { testDatabase } from "./database.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

export const OPERATOR_KEY = `rk_${"o".repeat(40)}`;

/** A JSON response without a declared type. */
export type Json = { readonly [key: string]: any };

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Json;
}

export interface CallOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The loopback address that the call comes from. Limits count per address. */
  readonly from?: string;
}

export interface Service {
  readonly app: App;
  readonly db: Database;
  readonly databaseUrl: string;
  /** The database's URL for the owner of the tables. */
  readonly ownerUrl: string;
  /** The settings, for starting another instance. */
  readonly config: Config;
  readonly url: string;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Response>;
  get(path: string, options?: CallOptions): Promise<Response>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Response>;
  /** Runs a test's own statement. @returns its rows. */
  rows(text: string, values?: readonly unknown[]): Promise<readonly Json[]>;
  close(): Promise<void>;
}

export interface ServiceOptions extends Overrides {
  readonly config?: Partial<Config>;
}

export function testConfig(publicUrl: string, changes: Partial<Config> = {}): Config {
  return {
    host: "127.0.0.1",
    port: 0,
    publicUrl,
    environment: "staging",
    databaseUrl: null,
    databaseOwnerUrl: null,
    databaseConnections: 20,
    databaseReadUrl: null,
    databaseReadLagSeconds: 10,
    migrateOnStart: true,
    drainSeconds: 0,
    dataDir: "/nowhere",
    sepaSchemas: null,
    sepaDirectory: null,
    redisUrl: null,
    masterKeys: [randomBytes(32)],
    operatorKey: OPERATOR_KEY,
    trustedProxies: [],
    connectionsPerAddress: 1_000,
    metricsToken: null,
    metricsPort: null,
    telemetry: null,
    smtp: null,
    docs: true,
    allowPrivateTargets: true,
    showPrivateAnswers: true,
    webhookAnswersKeptDays: 30,
    webhookDeliveriesKeptDays: 0,
    requestLogDays: 7,
    signIn: {
      sessionIdleMs: 60 * 60_000,
      sessionMaxMs: 12 * 60 * 60_000,
      stepUpMs: 10 * 60_000,
      secondFactorRequired: false,
    },
    mandateEvidenceMonths: 14,
    demo: false,
    logLevel: "silent",
    crashAt: null,
    ...changes,
  };
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const database = await testDatabase();
  const config = testConfig("http://pay.example.test", options.config);
  const { clock, between = (db) => db } = options;
  const app = await createApp(config, database.url, options.log ?? silentLog, {
    ...options,
    // Advancing the service's clock also advances the database's, which ends leases.
    between: (db) => between(clock === undefined ? db : onClock(db, clock)),
  });
  const { port } = await app.server.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${port}`;
  const call = caller(url);
  return {
    app,
    config,
    url,
    call,
    db: app.deps.db,
    databaseUrl: database.url,
    ownerUrl: database.ownerUrl,
    get: (path, more) => call("GET", path, undefined, more),
    post: (path, body, more) => call("POST", path, body, more),
    rows: (text, values = []) => database.db.query<Json>(...adHoc(text, values)),
    async close() {
      await app.server.close();
      await app.close();
      await database.close();
    },
  };
}

let lastAddress = 1;

/** An unused loopback address, for limits that count per address. */
export function freshAddress(): string {
  lastAddress += 1;
  return `127.${(lastAddress >> 14) & 127}.${(lastAddress >> 7) & 127}.${(lastAddress & 127) + 1}`;
}

/**
 * A path without a leading /api, /pay and so on is relative to {base_url}. A body that is a string or bytes is sent
 * unchanged.
 */
export function caller(url: string) {
  return (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const target = path.startsWith("/") ? path : `/api/v1/${path}`;
      const payload =
        body === undefined || typeof body === "string" || body instanceof Uint8Array
          ? body
          : JSON.stringify(body);
      const outgoing = request(url + target, {
        method,
        localAddress: options.from ?? freshAddress(),
        agent: false,
        headers: {
          ...(payload === undefined ? {} : { "content-type": "application/json" }),
          ...(payload === undefined || options.headers?.["transfer-encoding"] !== undefined
            ? {}
            : { "content-length": Buffer.byteLength(payload) }),
          ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
          ...options.headers,
        },
      });
      outgoing.on("error", reject);
      outgoing.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) });
        });
      });
      outgoing.end(payload);
    });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
