/** Wires the parts: from settings and a database to a server with its routes and jobs. */
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { subscriptionRoutes } from "./subscriptions/routes.ts";
import { ibanRoutes } from "./banks/routes.ts";
import { createBankDirectory, type BankDirectory } from "./banks/directory.ts";
import type { Config } from "./config.ts";
import type { Calls, Database } from "./db/database.ts";
import { createAnswerStore } from "./db/idempotency.ts";
import { listen } from "./db/listen.ts";
import { migrationCount } from "./db/migrations.ts";
import { combiningCalls, openDatabase } from "./db/postgres.ts";
import { preferReplica, type Replica } from "./db/replica.ts";
import { isUsable, schemaState } from "./db/schema-state.ts";
import { statisticsJob } from "./db/statistics.ts";
import type { Deps } from "./deps.ts";
import { figuresReader } from "./operator/figures.ts";
import type { Installation } from "./operator/installation.ts";
import { createJobLog } from "./operator/job-log.ts";
import type { Adapter } from "./gateways/gateway.ts";
import { OWN_GATEWAYS } from "./gateways/own.ts";
import { mandateWordsOf } from "./payment-page/mandate-text.ts";
import { hostedPageRoutes } from "./payment-page/routes.ts";
import { consoleRoutes } from "./console/routes.ts";
import { integrationJobs } from "./integrations/jobs.ts";
import { integrationRoutes } from "./integrations/routes.ts";
import { docsRoutes } from "./http/docs-page.ts";
import type { Router } from "./http/endpoint.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { startMetricsServer } from "./http/metrics-server.ts";
import { openApiDocument, type DeclaredEndpoint } from "./http/openapi.ts";
import { eraseRoutes } from "./privacy/routes.ts";
import { probeRoutes, type MetricsAccess, type Readiness } from "./http/probes.ts";
import { memoryCounters, type Counters } from "./http/rate-limit.ts";
import { createServer, type Server } from "./http/server.ts";
import { allJobs, catchUp, startJobs } from "./jobs.ts";
import { createRequestLog } from "./management/request-log/log.ts";
import { registerKeys } from "./keys/register.ts";
import { SECOND_MS, systemClock, type Clock } from "./lib/clock.ts";
import type { Telemetry } from "./lib/telemetry.ts";
import { randomIds, type Ids } from "./lib/ids.ts";
import type { Job } from "./lib/job.ts";
import { createKeyring, keyName, defaultKeys, type Keyring } from "./lib/keyring.ts";
import { namingLog, silentLog, type Log } from "./lib/log.ts";
import { serviceVersion } from "./lib/version.ts";
import { readSessionToken } from "./tenants/signed-address.ts";
import { mandateRoutes } from "./mandates/routes.ts";
import { messageRoutes } from "./messages/routes.ts";
import { messagesJob } from "./messages/send.ts";
import type { Mail } from "./messages/smtp.ts";
import { clockRoutes } from "./tenants/clock/routes.ts";
import type { MovableClock } from "./tenants/clock/move.ts";
import { clockJob, commonTime, movableTime, timeOfTenant, type MovableTime } from "./tenants/clock/time.ts";
import { createAuthenticator } from "./tenants/authenticate.ts";
import { managementRoutes } from "./management-routes.ts";
import { fetchNews } from "./payments/news/fetch.ts";
import { chargebackRoutes } from "./payments/chargebacks/routes.ts";
import { noteRoutes } from "./payments/notes/routes.ts";
import { refundRoutes } from "./payments/refunds/routes.ts";
import { importRoutes } from "./payments/imports/routes.ts";
import { tickRoutes } from "./payments/sandbox-tick-routes.ts";
import { reconciliationRoutes } from "./reconciliation/routes.ts";
import { reportRoutes } from "./reports/routes.ts";
import { sessionBearer } from "./sessions/bearer.ts";
import { sessionManagementRoutes } from "./sessions/management.ts";
import { sessionRoutes } from "./sessions/routes.ts";
import { createWebhooks, type Webhooks } from "./webhooks/delivery/dispatch.ts";
import { forgetReceiverAnswersJob, forgetDeliveriesJob } from "./webhooks/delivery/forget.ts";
import { createSender, type Requester, type Sender } from "./webhooks/delivery/send.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import { testReceiverRoutes } from "./webhooks/test-receiver-routes.ts";

/** The version in the API description, which is that in the API's path. */
const API_VERSION = "1.0.0";

export interface App {
  readonly deps: Deps;
  readonly server: Server;
  readonly metrics: Metrics;
  /** Everything that `startWork` runs. */
  readonly jobs: readonly Job[];
  /** The response to a scrape. */
  scrape(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Starts the jobs and listens for notifications from other instances; the returned function ends both. */
  startWork(): () => Promise<void>;
  /** The service is about to stop: it still serves, but is no longer ready, and asks clients to leave. */
  drain(): void;
  /** Closes what the app has opened; stop server and work before. */
  close(): Promise<void>;
}

/** What tests replace. */
export interface Overrides {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly reached?: Deps["reached"];
  readonly ids?: Ids;
  readonly pause?: Deps["pause"];
  /** Additional gateways. */
  readonly adapters?: readonly Adapter[];
  /** Replaces the servers to which webhooks are sent. */
  readonly sender?: Sender;
  readonly counters?: Counters;
  /** Checks each new connection to the database. */
  readonly verify?: NonNullable<Parameters<typeof openDatabase>[1]["verify"]>;
  /** Whether the service is held after a restore. */
  readonly held?: () => boolean;
  /** Wraps the database calls. */
  readonly between?: (calls: Calls) => Calls;
}

/**
 * Builds the service on a migrated database.
 * @throws KeyError when its master keys are not those of the settings.
 */
export async function createApp(
  config: Config,
  databaseUrl: string,
  log: Log,
  overrides: Overrides = {},
): Promise<App> {
  const metrics = createMetrics();
  const foundation = await openFoundation(config, databaseUrl, namingLog(log), metrics, overrides);
  const { deps } = foundation;
  const senders = createSenders(config, databaseUrl, foundation, metrics, overrides);
  const edge = await openEdge(config, foundation, metrics, overrides);
  const { server } = edge;
  const { held = () => false } = overrides;
  let stopping = false;
  const state = { stopping: () => stopping, ready: () => readiness(deps, held) };
  const scrape = scrapes(deps, metrics);
  const scraping = { access: metricsAccess(config), scrape };
  const jobLog = createJobLog(deps.clock);
  declareRoutes(server.router, deps, metrics, senders.webhooks, scraping, state);
  declareConsole(foundation, edge, senders, await installationOf(config, foundation, jobLog, state.ready));
  if (config.docs) declareDocs(config, server);
  const integrations = integrationJobs(deps, {
    sender: senders.webhooks.sender,
    onActivity: (outcome) => metrics.postback(outcome),
  });
  const work = { ...edge, ...senders, integrations };
  const jobs = jobsOfProcess(config, foundation, work, metrics).map((job) => jobLog.watched(job));
  return {
    deps,
    server,
    metrics,
    jobs,
    scrape,
    startWork: () => startWork(databaseUrl, foundation, work, jobs, metrics),
    drain() {
      stopping = true;
      server.drain();
    },
    async close() {
      await senders.webhooks.close();
      await senders.identity.close();
      await edge.counters.close();
      await foundation.close();
    },
  };
}

type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** The foundation: the database and its replica, traces, the time, the keys, and the deps made of them. */
async function openFoundation(
  config: Config,
  databaseUrl: string,
  log: Log,
  metrics: Metrics,
  overrides: Overrides,
) {
  const { clock = systemClock, between, verify } = overrides;
  const onTogether = (statement: string, calls: number) => metrics.ranTogether(statement, calls);
  const pool = openDatabase(databaseUrl, {
    knows: await migrationCount(),
    connections: config.databaseConnections,
    onFailed: (errorClass) => metrics.databaseFailed(errorClass),
    onTogether,
    onIdleError: (error) => log.warn("an idle database connection was lost", { reason: error.message }),
    ...(verify === undefined ? {} : { verify }),
  });
  const db: Database = between === undefined ? pool : combiningCalls(between(pool), onTogether);
  metrics.pool(() => pool.usage());
  const replica = openReplica(config, db, { clock, log, metrics });
  const banks = await createBankDirectory(db, clock);
  const telemetry = await openTelemetry(config, { clock, log, ...overrides, metrics });
  const time = config.environment === "staging" ? movableTime(db, clock) : null;
  await time?.refresh();
  const keys = await registerKeys(db, config.masterKeys, clock.now());
  let announce = (): void => {};
  const deps = createDeps(config, db, keys, banks, metrics, log, {
    ...overrides,
    ...(time === null ? {} : { time }),
    ...(replica === null ? {} : { reports: replica.reads }),
    announce: () => announce(),
    tracer: telemetry?.tracer ?? null,
    mail: await openMail(config),
  });
  return {
    deps,
    replica,
    /** Null in production, where clocks cannot be moved. */
    time,
    connections: () => pool.usage(),
    /** Registers a function to call when this process has written an event. */
    onAnnounce: (listener: () => void) => {
      announce = listener;
    },
    async close() {
      await telemetry?.close();
      await replica?.close();
      await db.close();
    },
  };
}

interface Senders {
  readonly webhooks: Webhooks;
  /** Calls identity providers. */
  readonly identity: Requester & Pick<Sender, "close">;
}

/** The clients that call servers named by tenants; none of them can reach the service's own ports. */
function createSenders(
  config: Config,
  databaseUrl: string,
  { deps }: Foundation,
  metrics: Metrics,
  { sender }: Overrides,
): Senders {
  const own = ownPorts([databaseUrl, config.databaseReadUrl, config.redisUrl]);
  const { clock, allowPrivateTargets: allowPrivate } = deps;
  const webhooks = createWebhooks(deps, {
    onAttempt: ({ outcome, lagMs }) => metrics.webhookAttempt(outcome, lagMs),
    onInFlight: (change) => metrics.webhooksInFlight(change),
    ...(sender === undefined ? {} : { sender }),
    send: { showPrivate: config.showPrivateAnswers, ownPorts: own },
  });
  return { webhooks, identity: createSender({ clock, allowPrivate, ownPorts: own }) };
}

function ownPorts(urls: readonly (string | null)[]): ReadonlySet<number> {
  return new Set(
    urls.flatMap((url) => (url === null ? [] : [Number(new URL(url).port)])).filter((port) => port > 0),
  );
}

type Edge = Awaited<ReturnType<typeof openEdge>>;

/** The server, without routes yet, and its log of requests. */
async function openEdge(config: Config, { deps }: Foundation, metrics: Metrics, overrides: Overrides) {
  const counters = overrides.counters ?? (await createCounters(config, deps, metrics));
  const answers = createAnswerStore(deps.db);
  const requests = createRequestLog(deps, config.requestLogDays, (count) => metrics.requestsDropped(count));
  const server = createServer({
    log: deps.log,
    ...(overrides.held === undefined ? {} : { held: overrides.held }),
    clock: deps.clock,
    ids: deps.ids,
    keys: deps.keys,
    counters,
    answers,
    tracer: deps.tracer,
    trustedProxies: config.trustedProxies,
    connectionsPerAddress: config.connectionsPerAddress,
    authenticate: authenticator(deps, config.operatorKey),
    readSessionToken: (token) => readSessionToken(deps.keys, token),
    onRequestDone(done) {
      metrics.requestDone(done.method, done.route, done.status, done.ms);
      requests.note(done);
    },
  });
  return { counters, answers, requests, server };
}

async function installationOf(
  config: Config,
  { deps, connections, replica }: Foundation,
  jobLog: ReturnType<typeof createJobLog>,
  ready: Installation["ready"],
): Promise<Installation> {
  return {
    version: await serviceVersion(),
    host: hostname(),
    startedAt: deps.clock.now(),
    ready,
    jobs: () => jobLog.states(),
    connections,
    replicaLagMs: replica === null ? null : () => replica.lagMs(),
    keyNames: config.masterKeys.map(keyName),
  };
}

/** The console, and in staging the clock that its test mode moves. */
function declareConsole(
  { deps, time }: Foundation,
  { answers, counters, server: { router } }: Edge,
  senders: Senders,
  installation: Installation,
): void {
  const jobsOf = (tenant: number, moved: MovableTime) =>
    allJobs({ ...deps, time: timeOfTenant(tenant, moved) }, answers, tenant);
  const clockwork: MovableClock | null =
    time === null ? null : { time, catchUp: (tenant) => catchUp(jobsOf(tenant, time)) };
  consoleRoutes(router, { ...deps, ...senders, counters, clockwork, installation });
  if (clockwork === null) return;
  clockRoutes(router, deps, clockwork);
  testReceiverRoutes(router, deps);
}

/** The reference page of what is declared so far. */
function declareDocs({ publicUrl }: Config, server: Server): void {
  const described = [...server.routes()];
  const about = { serverUrl: publicUrl, version: API_VERSION };
  docsRoutes(server.router, { openApi: () => openApiDocument(described, about) });
}

interface Work extends Pick<Edge, "answers" | "requests">, Pick<Senders, "webhooks"> {
  readonly integrations: ReturnType<typeof integrationJobs>;
}

/** The jobs for all tenants, and those of this process only. */
function jobsOfProcess(
  config: Config,
  { deps, replica, time }: Foundation,
  { answers, requests, webhooks, integrations }: Work,
  metrics: Metrics,
): readonly Job[] {
  const { webhookAnswersKeptDays: answersKeptDays, webhookDeliveriesKeptDays: deliveriesKeptDays } = config;
  return [
    ...allJobs(deps, answers),
    ...webhooks.jobs,
    forgetReceiverAnswersJob(deps, answersKeptDays),
    ...(deliveriesKeptDays === 0 ? [] : [forgetDeliveriesJob(deps, deliveriesKeptDays)]),
    ...integrations.jobs,
    ...requests.jobs,
    ...(deps.mail === null ? [] : [messagesJob(deps, deps.mail, (state) => metrics.messageAttempt(state))]),
    statisticsJob(deps.db),
    ...(replica === null ? [] : [replica.look]),
    ...(time === null ? [] : [clockJob(time)]),
  ];
}

/** Starts the jobs and listens for notifications from other instances; the returned function ends both. */
function startWork(
  databaseUrl: string,
  { deps, onAnnounce }: Foundation,
  { webhooks, integrations, requests }: Work,
  jobs: readonly Job[],
  metrics: Metrics,
): () => Promise<void> {
  const { log, tracer } = deps;
  const listener = listen(databaseUrl, "webhooks", {
    onNotice: () => webhooks.wake(),
    onLost: (error) =>
      log.warn("listening for notifications of other instances failed", { reason: error.message }),
  });
  // This process does not wait for its own notification, which a lost connection would delay.
  onAnnounce(() => {
    webhooks.wake();
    listener.announce();
  });
  for (const { name, everyMs } of jobs) metrics.job(name, everyMs);
  const onPass = (name: string, done: number, error: unknown) => {
    metrics.jobPass(name, done, error);
    if (error !== null) log.error("a job pass failed", error, { job: name });
  };
  const stopJobs = startJobs(jobs, onPass, tracer);
  return async () => {
    integrations.stop();
    await stopJobs();
    await requests.flush().catch((error: unknown) => log.error("the log of requests was not written", error));
    await listener.close();
  };
}

/** Opens the replica of DATABASE_READ_URL, with a function that closes its connections; null without one. */
function openReplica(
  { databaseReadUrl, databaseReadLagSeconds, databaseConnections }: Config,
  db: Database,
  { clock, log, metrics }: Pick<Deps, "clock" | "log"> & { readonly metrics: Metrics },
): (Replica & { close(): Promise<void> }) | null {
  if (databaseReadUrl === null) return null;
  const pool = openDatabase(databaseReadUrl, {
    connections: databaseConnections,
    onIdleError: (error) => log.warn("an idle connection to the replica was lost", { reason: error.message }),
  });
  const replica = preferReplica({
    database: db,
    replica: pool,
    clock,
    lagMaxMs: databaseReadLagSeconds * SECOND_MS,
    onRead: (from) => metrics.readFrom(from),
    onChange: (problem) =>
      problem === null
        ? log.info("the replica has caught up: lists and exports are read from it")
        : log.warn("the replica is not used: everything is read from the database", { reason: problem }),
  });
  metrics.replica(() => replica.lagMs());
  return { ...replica, close: () => pool.close() };
}

/** The API description, from the declarations that also serve; nothing is started. */
export function describeApi(): object {
  const config = { ...DESCRIBED, databaseUrl: null };
  const db = openDatabase("postgres://localhost/none", { connections: 1, onIdleError: () => {} });
  const banks: BankDirectory = { lookUp: () => ({ bankName: null, bic: null }), refresh: async () => {} };
  const metrics = createMetrics();
  const keys = createKeyring(defaultKeys(Buffer.alloc(32)));
  const deps = createDeps(config, db, keys, banks, metrics, silentLog, {});
  const routes: DeclaredEndpoint[] = [];
  const router: Router = { add: (method, path, endpoint) => routes.push({ method, path, endpoint }) };
  const scraping = { access: "anyone", scrape: () => metrics.text() } as const;
  declareRoutes(router, deps, metrics, createWebhooks(deps), scraping, {
    stopping: () => false,
    ready: async () => ({ ready: true, detail: null }),
  });
  clockRoutes(router, deps, { time: movableTime(db, deps.clock), catchUp: async () => {} });
  return openApiDocument(routes, { serverUrl: "http://localhost:8080", version: API_VERSION });
}

/** Declares all routes except the reference page, which is generated from them. */
function declareRoutes(
  router: Router,
  deps: Deps,
  metrics: Metrics,
  webhooks: Webhooks,
  scraping: { readonly access: MetricsAccess; readonly scrape: App["scrape"] },
  state: { readonly stopping: () => boolean; readonly ready: () => Promise<Readiness> },
): void {
  sessionRoutes(router, deps);
  ibanRoutes(router, deps.banks);
  managementRoutes(router, deps);
  sessionManagementRoutes(router, deps);
  refundRoutes(router, deps);
  noteRoutes(router, deps);
  chargebackRoutes(router, deps);
  importRoutes(router, deps);
  subscriptionRoutes(router, deps);
  for (const { routes } of OWN_GATEWAYS) routes?.(router, deps);
  mandateRoutes(router, deps, mandateWordsOf(deps.db));
  messageRoutes(router, deps);
  webhookRoutes(router, deps, webhooks);
  reconciliationRoutes(router, deps);
  reportRoutes(router, deps);
  integrationRoutes(router, deps, (outcome) => metrics.postback(outcome));
  if (deps.environment === "staging") tickRoutes(router, deps);
  eraseRoutes(router, deps);
  hostedPageRoutes(router, deps);
  probeRoutes(router, {
    metrics: scraping.scrape,
    ready: state.ready,
    stopping: state.stopping,
    metricsAccess: scraping.access,
    monotonicMs: () => deps.clock.monotonicMs(),
  });
}

/**
 * Whether the service is ready.
 * @throws when the database does not answer.
 */
async function readiness({ db }: Pick<Deps, "db">, held: () => boolean): Promise<Readiness> {
  const schema = await schemaState(db);
  return { ready: isUsable(schema), detail: schema.words ?? (held() ? HELD : null) };
}

const HELD =
  "The database was restored from a backup: records can be read, and nothing is sent until you run `restored release`.";

/** Metrics are collected at most once a second, however many scrapes arrive. */
const SCRAPE_MS = 1_000;

function scrapes(deps: Pick<Deps, "clock" | "db">, metrics: Metrics): App["scrape"] {
  const { clock } = deps;
  const readFigures = figuresReader(deps.db, clock, metrics);
  let madeMs = Number.NEGATIVE_INFINITY;
  let made: ReturnType<App["scrape"]> | null = null;
  return () => {
    if (made === null || clock.monotonicMs() - madeMs >= SCRAPE_MS) {
      madeMs = clock.monotonicMs();
      made = readFigures().then(() => metrics.text());
    }
    return made;
  };
}

/** Serves the metrics on their own port, if they have one. */
export async function serveMetrics(
  config: Pick<Config, "host" | "metricsPort" | "metricsToken">,
  app: Pick<App, "scrape">,
): Promise<{ readonly port: number; close(): Promise<void> } | null> {
  const { host, metricsPort: port, metricsToken: token } = config;
  return port === null ? null : startMetricsServer({ host, port, token, metrics: app.scrape });
}

/** Loaded only where it is used: its dependencies take some 10 MB. */
async function openTelemetry(
  { telemetry: settings }: Pick<Config, "telemetry">,
  {
    clock,
    log,
    ids = randomIds,
    metrics,
  }: Pick<Deps, "clock" | "log"> & Overrides & { readonly metrics: Metrics },
): Promise<Telemetry | null> {
  if (settings === null) return null;
  const { openTelemetry: open } = await import("./lib/telemetry.ts");
  return open(settings, { clock, log, instance: ids.uuid(), families: () => metrics.families() });
}

/** Loaded only where it is used. */
async function openMail({ smtp }: Pick<Config, "smtp">): Promise<Mail | null> {
  if (smtp === null) return null;
  const { createMail } = await import("./messages/smtp.ts");
  return createMail(smtp);
}

/**
 * Business figures do not belong on the customers' port, except in staging; with a port of their own they are only
 * there.
 */
export function metricsAccess({
  metricsToken,
  metricsPort,
  environment,
}: Pick<Config, "metricsToken" | "metricsPort" | "environment">): MetricsAccess {
  if (metricsPort !== null) return "nobody";
  if (metricsToken !== null) return { token: metricsToken };
  return environment === "staging" ? "anyone" : "nobody";
}

const DESCRIBED = {
  environment: "staging",
  publicUrl: "http://localhost:8080",
  allowPrivateTargets: true,
  sepaSchemas: null,
  sepaDirectory: null,
  signIn: { sessionIdleMs: 0, sessionMaxMs: 0, stepUpMs: 0, secondFactorRequired: false },
  mandateEvidenceMonths: 14,
} as const;

function createDeps(
  config: Pick<
    Config,
    | "environment"
    | "publicUrl"
    | "allowPrivateTargets"
    | "sepaSchemas"
    | "sepaDirectory"
    | "signIn"
    | "mandateEvidenceMonths"
  >,
  db: Database,
  keys: Keyring,
  banks: BankDirectory,
  metrics: Metrics,
  log: Log,
  {
    clock = systemClock,
    ids = randomIds,
    adapters = [],
    reached = () => {},
    pause = (ms) => sleep(ms),
    announce = () => {},
    time = commonTime(clock),
    tracer = null,
    mail = null,
    reports = db,
  }: Overrides & Partial<Pick<Deps, "announce" | "time" | "tracer" | "mail" | "reports">>,
): Deps {
  const parts = { db, time, ids, keys, publicUrl: config.publicUrl };
  const own = OWN_GATEWAYS.map(({ adapter }) => adapter(parts));
  const telling = own
    .filter((_, at) => (OWN_GATEWAYS[at]?.jobs ?? OWN_GATEWAYS[at]?.routes) !== undefined)
    .map(({ name }) => name);
  const deps: Deps = {
    db,
    reports,
    clock,
    time,
    ids,
    log,
    banks,
    environment: config.environment,
    signIn: config.signIn,
    publicUrl: config.publicUrl,
    allowPrivateTargets: config.allowPrivateTargets,
    sepaSchemas: config.sepaSchemas,
    sepaDirectory: config.sepaDirectory,
    mandateEvidenceMonths: config.mandateEvidenceMonths,
    reached,
    pause,
    announce,
    recorded: (outcome, adapter) => metrics.paymentOutcome(outcome, adapter),
    gatewayCalled: (call) => metrics.gatewayAsked(call),
    tracer,
    mail,
    keys,
    adapters: new Map([...own, ...adapters].map((adapter) => [adapter.name, adapter])),
    newsReady: async (tenant) => {
      await fetchNews(deps, tenant, telling);
    },
  };
  return deps;
}

function authenticator(deps: Pick<Deps, "clock" | "db" | "keys" | "log" | "time">, operatorKey: string) {
  const byKey = createAuthenticator(deps, operatorKey);
  const bySession = sessionBearer(deps);
  return (bearer: string) => (bearer.startsWith("ps_") ? bySession(bearer) : byKey(bearer));
}

async function createCounters(
  config: Config,
  deps: Pick<Deps, "clock" | "log">,
  metrics: Metrics,
): Promise<Counters> {
  const memory = memoryCounters(deps.clock);
  if (config.redisUrl === null) return memory;
  // Loaded only where it is used: the library takes 10 MB.
  const { redisCounters } = await import("./http/redis-counters.ts");
  return redisCounters(config.redisUrl, { memory, log: deps.log, metrics });
}
