/** The servers that receive webhooks. They keep what they receive, and respond as unreliably as real servers. */
import assert from "node:assert/strict";
import type { Sender, Sent } from "../../src/webhooks/delivery/send.ts";
import type { Gate } from "./gate.ts";
import type { Random } from "../../tools/random.ts";

export interface Received {
  readonly url: string;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  readonly accepted: boolean;
}

export interface Receivers {
  readonly sender: Sender;
  readonly received: readonly Received[];
  /** `true`: respond to nothing from now on; `false`: respond as usual. */
  away(are: boolean): void;
  reset(random: Random): void;
}

const ANSWERS = { ok: 70, fails: 10, lost: 8, cut: 6, busy: 6 } as const;
const ANSWERED = { retryAfter: undefined, responseBody: "", error: null, durationMs: 5 } as const;

export function createReceivers(gate: Gate, faulty: () => boolean): Receivers {
  const received: Received[] = [];
  let random: Random;
  let areAway = false;

  const post: Sender["post"] = async (url, headers, body): Promise<Sent> => {
    const answer = areAway ? "cut" : faulty() ? random.weighted(ANSWERS) : "ok";
    const eventId = headers["webhook-id"] ?? "";
    const type = headers["X-Service-Event"] ?? "";
    await gate.pass(`${type} → ${url} (${answer})`, () => {
      if (answer === "cut") return;
      received.push({ url, eventId, type, body, accepted: answer === "ok" || answer === "lost" });
    });
    await gate.pass(`${type} answered by ${url}`, () => {});
    switch (answer) {
      case "ok":
        return { ...ANSWERED, responseCode: 200 };
      case "fails":
        return { ...ANSWERED, responseCode: 500, error: "The receiver answered 500." };
      case "busy":
        return { ...ANSWERED, responseCode: 503, retryAfter: "120", error: "The receiver answered 503." };
      case "lost":
      case "cut":
        return { ...ANSWERED, responseCode: null, error: "socket hang up" };
    }
  };

  return {
    sender: {
      post,
      get: () => assert.fail("nothing is fetched in the simulation"),
      close: async () => {},
    },
    received,
    away(are) {
      areAway = are;
    },
    reset(next) {
      areAway = false;
      received.length = 0;
      random = next;
    },
  };
}
