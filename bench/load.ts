/** The load: a client in a separate process, so that its cost is not counted as the service's. */
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";

/** The merchant of the client's calls. */
export interface Shop {
  readonly keys: readonly string[];
  readonly gatewayId: string;
  /** The URL of its webhooks. */
  readonly profileId: string;
  readonly postbackPath: string;
}

export interface Target {
  readonly ports: readonly number[];
  /** Calls use them in turn. */
  readonly shops: readonly Shop[];
}

export type CourseKind =
  | "create"
  | "pay"
  /** A payment: creates a session and pays it, on one connection. It has to be followed by a webhook. */
  | "create_pay"
  | "retrieve"
  | "ask_verification"
  | "verify"
  | "iban_validate"
  | "postback"
  | "get"
  /** Follows `next` from the first URL to the end. */
  | "walk"
  /** Makes no calls: waits until every payment has had its webhook. */
  | "webhooks"
  | "bare";

export interface Course {
  readonly kind: CourseKind;
  /** The number of concurrent calls, each on a separate connection. */
  readonly connections: number;
  /** Ends after this many seconds or calls, or when nothing is left to do. */
  readonly seconds: number;
  readonly count?: number;
  /**
   * Calls begin on a schedule, this many per second, even if earlier ones are not answered. A call that finds no free
   * connection waits for one, and its time counts from when it was due.
   */
  readonly perSecond?: number;
  readonly urls?: readonly string[];
}

/** In milliseconds. */
export interface Latencies {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface ClientAnswer extends Latencies {
  readonly requests: number;
  readonly seconds: number;
  /** From when a payment was due until its webhook arrived; null where no payments were made. */
  readonly delivered: Latencies | null;
  readonly statuses: Readonly<Record<number, number>>;
  readonly cpuMs: number;
  /** Webhooks that arrived meanwhile. */
  readonly received: number;
  /** Existing sessions to pay or retrieve. */
  readonly tokens: number;
  /** The last page of a walk. */
  readonly lastUrl: string;
}

export interface Load {
  /** Where the client receives webhooks. */
  readonly receiverUrl: string;
  aim(target: Target): void;
  run(course: Course): Promise<ClientAnswer>;
  stop(): void;
}

interface Message {
  readonly receiverPort?: number;
  readonly answer?: ClientAnswer;
  readonly failed?: string;
}

export async function startLoad(): Promise<Load> {
  const child = fork(join(import.meta.dirname, "client.ts"));
  const { receiverPort } = await nextMessage(child);
  return {
    receiverUrl: `http://127.0.0.1:${receiverPort}/`,
    aim: (aim) => void child.send({ aim }),
    async run(course) {
      child.send({ course });
      const { answer, failed } = await nextMessage(child);
      if (answer === undefined) throw new Error(failed ?? "The client gave no answer");
      return answer;
    },
    stop: () => child.disconnect(),
  };
}

function nextMessage(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("The client's process ended"));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as Message);
    });
  });
}
