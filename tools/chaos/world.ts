/** Everything that faults affect: database behind the proxy, Redis, instances; two merchants, and their receiver. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/postgres.ts";
import { createMerchant, createRecord, type Merchant } from "../../tests/support/merchant.ts";
import { freePort } from "../../tests/support/process.ts";
import { startReceiver, type Receiver } from "../../tests/support/receiver.ts";
import {
  caller,
  OPERATOR_KEY,
  type CallOptions,
  type Json,
  type Service,
} from "../../tests/support/service.ts";
import { openBank, type Bank } from "./bank.ts";
import { startDatabase, type ChaosDatabase } from "./database.ts";
import { startInstance, type Instance } from "./instance.ts";
import { startProxy, type FaultProxy } from "./proxy.ts";
import type { ImportedFile } from "./imports.ts";
import type { Random } from "../random.ts";
import type { SmallDisk } from "./small-disk.ts";
import { startRedis, type ChaosRedis } from "./redis.ts";
import { adHoc } from "../ad-hoc.ts";

export interface Shop {
  /** Contained in all records of this merchant, so that they can be recognized. */
  readonly mark: string;
  readonly merchant: Merchant;
  readonly keys: readonly string[];
  readonly postbackPath: string;
  /** How its sessions are billed. */
  readonly billing: Readonly<Record<string, string>>;
}

export interface World {
  readonly database: ChaosDatabase;
  readonly proxy: FaultProxy;
  readonly redis: ChaosRedis | null;
  readonly instances: readonly Instance[];
  readonly shops: readonly Shop[];
  /** A merchant with subscriptions whose clock is moved; includes only requested time. */
  readonly billing: { readonly shop: Shop; time: Date };
  /** A merchant's bank; null until it is opened. */
  readonly bank: Bank | null;
  openBank(): Promise<Bank>;
  /** Files that merchants import. */
  readonly imports: ImportedFile[];
  readonly receiver: Receiver;
  /** The small disk of the database, if it has one. */
  readonly disk: SmallDisk | null;
  /** Runs a statement on a separate connection, bypassing the proxy. */
  rows(text: string, values?: readonly unknown[]): Promise<readonly Json[]>;
  /** Ends all faults: everything runs, nothing is paused, slow or lost. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

interface WorldOptions {
  readonly random: Random;
  readonly instances: number;
  /** Puts the database on a separate disk, which the caller removes. */
  readonly disk?: SmallDisk | null;
}

const START_MS_MAX = 60_000;
/** Few, so that permanently lost connections are soon noticed. */
const CONNECTIONS = 6;
const KEYS = 4;
const CARRIER = join(import.meta.dirname, "carrier.ts");
const MONTHLY = { billing_type: "RECURRING", billing_frequency: "MONTHLY" } as const;

export async function startWorld({ random, instances: number, disk = null }: WorldOptions): Promise<World> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).toReversed()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), "payment-sessions-chaos-"));
    closing.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const database = await startDatabase(join(disk?.path ?? folder, "database"));
    closing.push(() => database.stop());
    await migrate(database.url());
    const ofProxy = random.fork();
    const proxy = await startProxy(() => ofProxy.next());
    closing.push(() => proxy.close());
    proxy.lead(database.url());
    const redis = await startRedis();
    if (redis !== null) closing.push(() => redis.stop());
    const receiver = await startReceiver();
    closing.push(() => receiver.close());
    const env = environmentOf(folder, database, proxy, redis);
    const instances: Instance[] = [];
    while (instances.length < number) {
      instances.push(startInstance(`instance ${instances.length + 1}`, await freePort(), env));
    }
    closing.push(() => Promise.all(instances.map((instance) => instance.stop())));
    await Promise.all(instances.map(({ url }) => untilReady(url)));
    const shops = [
      await openShop("amber", instances, receiver),
      await openShop("birch", instances, receiver),
    ];
    const billing = {
      shop: { ...(await openShop("cedar", instances, receiver)), billing: MONTHLY },
      time: new Date(),
    };
    let bank: Bank | null = null;
    const startBank = async (): Promise<Bank> => {
      const carriers = Array.from({ length: Math.max(1, number - 1) }, (_, index) =>
        startInstance(`carrier ${index + 1}`, 0, env, CARRIER),
      );
      closing.push(() => Promise.all(carriers.map((carrier) => carrier.stop())));
      const shop = { ...(await openShop("dogwood", instances, receiver)), billing: MONTHLY };
      const opened = await openBank({
        random: random.fork(),
        shop,
        service: serviceOf(instances),
        carriers,
      });
      closing.push(() => opened.sftp.close());
      return opened;
    };
    return {
      database,
      proxy,
      billing,
      get bank() {
        return bank;
      },
      imports: [],
      openBank: async () => (bank ??= await startBank()),
      redis,
      instances,
      shops,
      receiver,
      disk,
      rows: (text, values = []) => rowsOf(database, text, values),
      async heal() {
        await disk?.free();
        await database.resume();
        await database.start();
        proxy.lead(database.url());
        proxy.heal();
        await redis?.start();
        bank?.sftp.heal();
        for (const instance of instances) instance.resume();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function environmentOf(
  folder: string,
  database: ChaosDatabase,
  proxy: FaultProxy,
  redis: ChaosRedis | null,
): Readonly<Record<string, string>> {
  const url = new URL(database.url());
  url.port = String(proxy.port);
  return {
    DATABASE_URL: url.href,
    DATABASE_CONNECTIONS: String(CONNECTIONS),
    DATA_DIR: folder,
    MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    OPERATOR_KEY,
    DEMO: "false",
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
  };
}

/** @throws Error when it does not serve in time. */
async function untilReady(url: string, withinMs = START_MS_MAX): Promise<void> {
  const call = caller(url);
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const ready = await call("GET", "/readyz").catch(() => null);
    if (ready?.status === 200) return;
    await sleep(50);
  }
  throw new Error(`${url} does not serve`);
}

/** What the helpers of tests ask. */
function serviceOf(instances: readonly Instance[]): Service {
  const call = caller(instances[0]?.url ?? "");
  return {
    call,
    get: (path: string, options?: CallOptions) => call("GET", path, undefined, options),
    post: (path: string, body?: unknown, options?: CallOptions) => call("POST", path, body, options),
  } as Service;
}

async function openShop(mark: string, instances: readonly Instance[], receiver: Receiver): Promise<Shop> {
  const service = serviceOf(instances);
  const merchant = await createMerchant(service);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: mark,
    url: `${receiver.url}/${mark}`,
    events: ["payment_session.completed", "payment_session.expired", "transaction.status_changed"],
  });
  const keys = [merchant.key];
  while (keys.length < KEYS) {
    keys.push((await createRecord(service, merchant.key, "api-keys", { name: mark }))["api_key"]);
  }
  const integration = await createRecord(service, merchant.key, "integrations", { name: mark });
  const postbackPath = new URL(integration["postback_url"]).pathname;
  return { mark, merchant, keys, postbackPath, billing: { billing_type: "ONE_OFF" } };
}

async function rowsOf(
  database: ChaosDatabase,
  text: string,
  values: readonly unknown[],
): Promise<readonly Json[]> {
  const db = openDatabase(database.url(), { connections: 1, onIdleError: () => {} });
  try {
    return await db.query<Json>(...adHoc(text, values));
  } finally {
    await db.close();
  }
}
