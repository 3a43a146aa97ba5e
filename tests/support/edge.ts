/** The parts of the HTTP layer, for a test with its own endpoints that need no credentials. */
import type { Edge } from "../../src/http/server.ts";
import { memoryCounters } from "../../src/http/rate-limit.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createKeyring, defaultKeys } from "../../src/lib/keyring.ts";
import { silentLog } from "../../src/lib/log.ts";

export function testEdge(changes: Partial<Edge> = {}): Edge {
  return {
    log: silentLog,
    clock: systemClock,
    ids: randomIds,
    keys: createKeyring(defaultKeys(Buffer.alloc(32, 7))),
    counters: memoryCounters(systemClock),
    answers: {
      begin: async ({ operationId }) => ({ kind: "new", operationId }),
      finish: async () => {},
      abandon: async () => {},
    },
    trustedProxies: [],
    authenticate: async () => null,
    readSessionToken: () => null,
    onRequestDone: () => {},
    ...changes,
  };
}
