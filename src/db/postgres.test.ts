/** Connections that break at an inconvenient moment. */
import assert from "node:assert/strict";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { Refusal } from "../refusals.ts";
import { testDatabase, type TestDatabase } from "../../tests/support/database.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./postgres.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

let database: TestDatabase;

before(async () => {
  database = await testDatabase();
});
after(() => database.close());

const isUnavailable = (error: unknown): boolean => error instanceof Refusal && error.kind === "unavailable";

test("a connection that is lost between two statements of a transaction fails the transaction, not the process", async () => {
  const db = openDatabase(database.url, { connections: 1, onIdleError: () => {} });
  const between = db.transaction(async (tx) => {
    const [row] = await tx.query<{ pid: number }>(...adHoc("select pg_backend_pid() as pid"));
    await database.db.query(...adHoc("select pg_terminate_backend($1, 10000)", [row?.pid]));
    // The end of the connection has reached the socket; one turn of the event loop reads it.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await tx.query(...adHoc("select 1"));
  });
  await assert.rejects(between, isUnavailable);
  assert.deepEqual(await db.query(...adHoc("select 1 as one")), [{ one: 1 }]);
  await db.close();
});

test("a new connection that is reset while it is verified fails the call, not the process", async (t) => {
  const { hostname, port } = new URL(database.url);
  let isReset = false;
  const proxy = createServer((socket) => {
    const up = connect(Number(port), hostname);
    socket.on("data", (data) => {
      if (isReset || !data.includes("as verified")) return void up.write(data);
      isReset = true;
      socket.resetAndDestroy();
    });
    up.on("data", (data) => void socket.write(data));
    for (const one of [socket, up])
      one
        .on("error", () => {})
        .on("close", () => {
          socket.destroy();
          up.destroy();
        });
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const through = new URL(database.url);
  Object.assign(through, { hostname: "127.0.0.1", port: String((proxy.address() as AddressInfo).port) });
  const verify = { statement: adHoc("select 1 as verified")[0], accepts: () => true };
  const db = openDatabase(through.href, { connections: 1, onIdleError: () => {}, verify });
  t.after(async () => {
    await db.close();
    proxy.close();
  });
  await assert.rejects(db.query(...adHoc("select 1")), isUnavailable);
  assert.ok(isReset);
  assert.deepEqual(await db.query(...adHoc("select 1 as one")), [{ one: 1 }]);
});

for (const [what, use] of [
  ["statement", (db: Database) => db.query(...adHoc("select 1"))],
  ["transaction", (db: Database) => db.transaction((tx) => tx.query(...adHoc("select 1")))],
] as const) {
  test(`a ${what} on a connection that has gone silent fails, and the next one gets a new connection`, async (t) => {
    const firewall = await startFirewall(database.url);
    const db = openDatabase(firewall.url, { connections: 1, onIdleError: () => {}, statementTimeoutMs: 100 });
    t.after(async () => {
      await db.close();
      await firewall.close();
    });
    await use(db);
    firewall.forget();
    const began = performance.now();
    await assert.rejects(use(db), isUnavailable);
    // The statement's 100 ms and the 5 s allowed for the transfer of its answer, once.
    assert.ok(performance.now() - began < 9_000);
    await use(db);
  });
}

test("of two transactions that deadlock both succeed: the one that the server aborts runs again from its start", async () => {
  const db = openDatabase(database.url, { connections: 2, onIdleError: () => {} });
  await database.db.query(...adHoc("create table deadlocked (id integer primary key, by text not null)"));
  await database.db.query(...adHoc("grant all on deadlocked to public"));
  await database.db.query(...adHoc("insert into deadlocked values (1, ''), (2, '')"));
  const bothHoldOne = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let runs = 0;
  const append = (own: 0 | 1) =>
    db.transaction(async (tx) => {
      runs += 1;
      const add = (id: number) =>
        tx.write(...adHoc("update deadlocked set by = by || $2::text where id = $1", [id, "AB".charAt(own)]));
      await add(own + 1);
      bothHoldOne[own].resolve();
      await bothHoldOne[own === 0 ? 1 : 0].promise;
      await add(2 - own);
    });
  await Promise.all([append(0), append(1)]);
  assert.ok(runs >= 3, "one of the two ran again");
  const rows = await db.query<{ by: string }>(...adHoc("select by from deadlocked order by id"));
  assert.deepEqual(
    rows.map(({ by }) => by.split("").toSorted().join("")),
    ["AB", "AB"],
  );
  await db.close();
});

for (const code of ["40P01", "40001"]) {
  test(`a transaction that the server aborts with ${code} every time ends as unavailable, not as an internal error`, async () => {
    const db = openDatabase(database.url, { connections: 1, onIdleError: () => {} });
    const refuse = adHoc(`do $$ begin raise exception 'in the way' using errcode = '${code}'; end $$`);
    let runs = 0;
    const work = db.transaction((tx) => {
      runs += 1;
      return tx.write(...refuse);
    });
    await assert.rejects(work, isUnavailable);
    assert.equal(runs, 5);
    await assert.rejects(db.commit(...refuse), isUnavailable);
    assert.deepEqual(await db.query(...adHoc("select 1 as one")), [{ one: 1 }]);
    await db.close();
  });
}

/**
 * A proxy between client and server. It can forget its connections, which then transfer nothing and are never closed.
 */
async function startFirewall(databaseUrl: string) {
  const known = new Set<Socket>();
  const all: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(databaseUrl).port), "127.0.0.1");
    known.add(client);
    all.push(client, upstream);
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.on("data", (data) => known.has(client) && upstream.write(data));
    upstream.on("data", (data) => known.has(client) && client.write(data));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const url = new URL(databaseUrl);
  url.port = String(address.port);
  return {
    url: url.href,
    forget: () => known.clear(),
    async close() {
      for (const socket of all) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

for (const [how, use] of [
  ["query", (db: Database, text: string) => db.query<{ pid: number }>(...adHoc(text))],
  ["commit", (db: Database, text: string) => db.commit<{ pid: number }>(...adHoc(text))],
] as const) {
  test(`a statement that the server refuses (${how}) leaves its connection open, with its prepared statements`, async () => {
    const db = openDatabase(database.url, { connections: 1, onIdleError: () => {} });
    const [before] = await use(db, "select pg_backend_pid() as pid");
    await assert.rejects(use(db, "select 1 / 0 as pid"), /division by zero/);
    assert.deepEqual(await use(db, "select pg_backend_pid() as pid"), [before]);
    await db.close();
  });
}
