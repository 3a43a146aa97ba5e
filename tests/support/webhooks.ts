/** The delivery of webhooks with its own database, and merchants, profiles and events for it. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Database } from "../../src/db/database.ts";
import { combiningCalls } from "../../src/db/postgres.ts";
import type { Deps } from "../../src/deps.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { commonTime } from "../../src/tenants/clock/time.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createKeyring, defaultKeys } from "../../src/lib/keyring.ts";
import { silentLog } from "../../src/lib/log.ts";
import { signingSecretContext } from "../../src/webhooks/profiles/profile.ts";
import { createWebhooks, type WebhookHooks, type Webhooks } from "../../src/webhooks/delivery/dispatch.ts";
import { onClock } from "./database-clock.ts";
import { testDatabase } from "./database.ts";
import type { Json } from "./service.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

export const SECRET = "whsec_c2l4dGVlbiBieXRlcyBvciBtb3JlIGFyZSBoZXJl";
const START = new Date("2026-11-21T12:00:00Z");

export interface ProfileOptions {
  readonly events?: readonly string[];
  readonly payloadFields?: Readonly<Record<string, string>>;
  readonly asciiEscape?: boolean;
  readonly secret?: string;
  readonly maxInFlight?: number;
  readonly previousSecret?: { readonly secret: string; readonly until: Date };
}

export interface Outbox {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly deps: Deps;
  readonly clock: ReturnType<typeof manualClock>;
  readonly masterKey: Buffer;
  readonly tenant: number;
  /** Starts a delivery worker; a test may have several. They are closed with the outbox. */
  worker(hooks?: WebhookHooks, deps?: Partial<Deps>): Webhooks;
  profile(url: string, options?: ProfileOptions, tenant?: number): Promise<string>;
  anotherTenant(): Promise<number>;
  session(profileId?: string | null, tenant?: number): Promise<string>;
  event(
    sessionId: string | null,
    type?: string,
    payload?: Record<string, unknown>,
    tenant?: number,
  ): Promise<string>;
  rows(text: string, values?: readonly unknown[]): Promise<readonly Json[]>;
  close(): Promise<void>;
}

/** @param allowPrivateTargets true by default, because most tests' receivers listen on loopback. */
export async function startOutbox({
  allowPrivateTargets = true,
  masterKey = randomBytes(32),
} = {}): Promise<Outbox> {
  const database = await testDatabase();
  const { db, url: databaseUrl } = database;
  const clock = manualClock(START);
  const keys = createKeyring(defaultKeys(masterKey));
  const deps = {
    db,
    reports: db,
    clock,
    time: commonTime(clock),
    keys,
    ids: randomIds,
    log: silentLog,
    adapters: new Map(),
    allowPrivateTargets,
    sepaSchemas: null,
    sepaDirectory: null,
    mandateEvidenceMonths: 14,
    banks: { lookUp: () => ({ bankName: null, bic: null }), refresh: async () => {} },
    environment: "staging",
    signIn: { sessionIdleMs: 0, sessionMaxMs: 0, stepUpMs: 0, secondFactorRequired: false },
    publicUrl: "http://pay.example.test",
    recorded: () => {},
    gatewayCalled: () => {},
    tracer: null,
    mail: null,
    announce: () => {},
    newsReady: async () => {},
    pause: async () => {},
    reached: () => {},
  } as Deps;
  const workers: Webhooks[] = [];
  const rows = (text: string, values: readonly unknown[] = []) => db.query<Json>(...adHoc(text, values));
  const insert = (table: string, values: Record<string, unknown>) => {
    const names = Object.keys(values);
    const places = names.map((_, index) => `$${index + 1}`);
    const text = `insert into ${table} (${names.join(", ")}) values (${places.join(", ")})`;
    return rows(text, Object.values(values));
  };
  const now = () => ({ created_at: clock.now(), updated_at: clock.now() });

  const anotherTenant = async (): Promise<number> => {
    const id = randomUUID();
    await insert("tenants", { id, name: "Shop", session_lifetime_seconds: 3600, ...now() });
    const [row] = await rows("select tenant from tenants where id = $1", [id]);
    const tenant: number = row?.["tenant"];
    await insert("gateways", {
      tenant,
      id,
      name: "Sandbox",
      adapter: "sandbox",
      test_mode: true,
      settings: "{}",
      completed_event_at: "acceptance",
      active: true,
      ...now(),
    });
    return tenant;
  };
  const tenant = await anotherTenant();

  return {
    db,
    databaseUrl,
    deps,
    clock,
    masterKey,
    tenant,
    anotherTenant,
    rows,
    worker(hooks = {}, changed = {}) {
      const made = createWebhooks(
        { ...deps, db: combiningCalls(onClock(db, changed.clock ?? clock)), ...changed },
        hooks,
      );
      workers.push(made);
      return made;
    },
    async profile(url, options = {}, of = tenant) {
      const id = randomUUID();
      const seal = (secret: string) => keys.seal(of, signingSecretContext(id), secret);
      const { events = ["payment_session.completed"], asciiEscape = false, previousSecret } = options;
      await insert("webhook_profiles", {
        tenant: of,
        id,
        name: "Hook",
        url,
        events,
        ascii_escape: asciiEscape,
        max_in_flight: options.maxInFlight ?? 10,
        active: true,
        ...now(),
        payload_fields: options.payloadFields ?? { token: "session_token", event: "event_id", n: "amount" },
        signing_secret: seal(options.secret ?? SECRET),
        previous_signing_secret: previousSecret ? seal(previousSecret.secret) : null,
        previous_signing_secret_until: previousSecret?.until ?? null,
      });
      return id;
    },
    async session(profileId = null, of = tenant) {
      const id = randomUUID();
      await insert("leads", {
        tenant: of,
        id,
        email_key: id,
        email: "a@example.com",
        first_name: "A",
        last_name: "B",
        country: "DE",
        ...now(),
      });
      const [gateway] = await rows("select id from gateways where tenant = $1", [of]);
      await insert("sessions", {
        tenant: of,
        id,
        token_key_id: keys.currentKeyId,
        status: "COMPLETED",
        lead_id: id,
        gateway_id: gateway?.["id"],
        webhook_profile_id: profileId,
        campaign_name: "",
        offer_name: "",
        amount: "1.00",
        currency: "EUR",
        billing_type: "ONE_OFF",
        attempts_max: 3,
        created_at: clock.now(),
        expires_at: clock.now(),
        closed_at: clock.now(),
      });
      return id;
    },
    async event(sessionId, type = "payment_session.completed", payload = {}, of = tenant) {
      const id = randomUUID();
      const stored = { amount: "19.90", event_id: id, ...payload };
      await insert("events", {
        tenant: of,
        id,
        type,
        session_id: sessionId,
        payload: stored,
        created_at: clock.now(),
      });
      return id;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      await database.close();
    },
  };
}
