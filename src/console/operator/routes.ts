/** The operator's pages: the installation, without customers' and merchants' data. They change nothing. */
import { knownMigrations } from "../../db/migrations.ts";
import { addDays, utcDate } from "../../lib/dates.ts";
import { countSessions, readKeys } from "../../keys/store.ts";
import { usageOf } from "../../keys/usage.ts";
import { ListQuery } from "../../management/resource-routes.ts";
import { readBankStates } from "../../operator/banks-store.ts";
import { readFigures } from "../../operator/figures.ts";
import { readQueues } from "../../operator/queues-store.ts";
import { readReceivers } from "../../operator/receivers-store.ts";
import { appliedMigrations, connectedInstances, serverVersion } from "../../operator/schema-store.ts";
import { namesOfTenants, paymentsOfTenants } from "../../operator/tenants-store.ts";
import { tenantStore } from "../../tenants/store.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyQuery, readListPage, response } from "../pages/listed.ts";
import { listQueryOf } from "../pages/list-query.ts";
import type { Parts } from "../people/parts.ts";
import { banksPage } from "./banks.ts";
import { keysPage } from "./keys.ts";
import { overviewPage } from "./overview.ts";
import {
  BANKS_PATH,
  JOBS_PATH,
  MASTER_KEYS_PATH,
  OPERATOR_PATH,
  QUEUES_PATH,
  RECEIVERS_PATH,
  TENANTS_PATH,
} from "./places.ts";
import { COUNTED_DAYS, tenantsPage } from "./tenants.ts";
import { isLate, jobsPage, queuesPage, receiversPage } from "./work.ts";

const MIGRATIONS_SHOWN = 5;
const ROWS_SHOWN = 200;
/** Operators belong to no tenant. */
const NO_TENANT = 0;
const tenantsQuery = listQueryOf(ListQuery);

/** Declares the pages. */
export function operatorPages(console: ConsoleRouter, parts: Parts): void {
  overviewRoute(console, parts);
  tenantsRoute(console, parts);
  workRoutes(console, parts);
  keysRoute(console, parts);
}

function overviewRoute(console: ConsoleRouter, { db, clock, environment, installation }: Parts): void {
  console.get(OPERATOR_PATH, "operator.versions", {
    summary: "The installation",
    schema: { response },
    async handle(call) {
      const { words } = call;
      const [readiness, figures, banks, applied, instances, postgres, known] = await Promise.all([
        installation.ready(),
        readFigures(db),
        readBankStates(db, ROWS_SHOWN),
        appliedMigrations(db, MIGRATIONS_SHOWN),
        connectedInstances(db),
        serverVersion(db),
        knownMigrations(),
      ]);
      const body = overviewPage({
        words,
        now: clock.now(),
        environment,
        installation,
        readiness,
        heldSince: figures.held?.since ?? null,
        concerns: [
          ["jobs_failing", installation.jobs().filter(({ failing }) => failing).length],
          ["webhooks_late", isLate(figures.webhooks.late_seconds) ? 1 : 0],
          ["files_unclear", figures.bank.unclear],
          ["banks_in_trouble", banks.filter(({ trouble }) => trouble !== null).length],
          ["news_set_aside", figures.setAside],
          ["receivers_failing", figures.webhooks.failing],
        ],
        postgres,
        known,
        applied,
        instances,
      });
      return call.page(words.say("installation"), body, { headed: true });
    },
  });
}

function tenantsRoute(console: ConsoleRouter, parts: Parts): void {
  const { db, clock, environment } = parts;
  console.get(TENANTS_PATH, "operator.tenants", {
    summary: "Tenants",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const now = clock.now();
      const given = tenantsQuery(call.query);
      const scope = { tenant: NO_TENANT, path: TENANTS_PATH };
      const page = await readListPage(parts, scope, given, (window) =>
        tenantStore.list(db, NO_TENANT, given.asked.archived === true, window),
      );
      const numbers = page.rows.map(({ tenant }) => tenant);
      const payments = await paymentsOfTenants(db, numbers, addDays(utcDate(now), 1 - COUNTED_DAYS));
      const body = tenantsPage({ words, now, given, ...page, payments, environment });
      return call.page(words.say("tenants"), body, { headed: true });
    },
  });
}

function workRoutes(console: ConsoleRouter, { db, clock, installation }: Parts): void {
  console.get(JOBS_PATH, "operator.health", {
    summary: "Jobs",
    schema: { response },
    handle(call) {
      const { words } = call;
      const body = jobsPage({ words, now: clock.now(), installation });
      return call.page(words.say("jobs"), body, { headed: true });
    },
  });

  console.get(QUEUES_PATH, "operator.health", {
    summary: "Queues",
    schema: { response },
    async handle(call) {
      const { words } = call;
      const [queues, figures] = await Promise.all([readQueues(db), readFigures(db)]);
      const { late_seconds: lateSeconds } = figures.webhooks;
      const body = queuesPage({ words, now: clock.now(), queues, lateSeconds });
      return call.page(words.say("queues"), body, { headed: true });
    },
  });

  console.get(RECEIVERS_PATH, "operator.health", {
    summary: "Receivers of webhooks",
    schema: { response },
    async handle(call) {
      const { words } = call;
      const receivers = await readReceivers(db, ROWS_SHOWN);
      const names = await namesOfTenants(
        db,
        receivers.map(({ tenant }) => tenant),
      );
      const body = receiversPage({ words, now: clock.now(), receivers, names });
      return call.page(words.say("receivers"), body, { headed: true });
    },
  });

  console.get(BANKS_PATH, "operator.health", {
    summary: "Gateways at banks",
    schema: { response },
    async handle(call) {
      const { words } = call;
      const banks = await readBankStates(db, ROWS_SHOWN);
      const names = await namesOfTenants(
        db,
        banks.map(({ tenant }) => tenant),
      );
      const body = banksPage({ words, now: clock.now(), banks, names });
      return call.page(words.say("banks"), body, { headed: true });
    },
  });
}

function keysRoute(console: ConsoleRouter, { db, clock, log, installation }: Parts): void {
  /** Counts what is sealed under each key, which reads whole tables. */
  const count = async () => {
    const [usage, sessions] = await Promise.all([usageOf(db), countSessions(db)]);
    return { usage, sessions: new Map(sessions.map(({ number, count: of }) => [number, of])) };
  };
  console.get(MASTER_KEYS_PATH, "operator.keys", {
    summary: "Master keys",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words, query } = call;
      const asked = query["count"] === undefined ? null : count();
      const counted =
        (await asked?.catch((error: unknown) => {
          log.error("what the master keys have sealed could not be counted", error);
          return "too_long" as const;
        })) ?? null;
      const keys = await readKeys(db);
      const body = keysPage({ words, now: clock.now(), keys, held: installation.keyNames, counted });
      return call.page(words.say("masterKeys"), body, { headed: true });
    },
  });
}
