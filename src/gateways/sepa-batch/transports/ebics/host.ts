/** Calls a bank's EBICS host: sends one XML document and returns one, over HTTPS. */
import { createSender } from "../../../../webhooks/delivery/send.ts";
import type { Clock } from "../../../../lib/clock.ts";
import { SECOND_MS } from "../../../../lib/clock.ts";
import { wasNotReached } from "../../../calling.ts";
import { MESSAGE_CHARS_MAX } from "./auth-signature.ts";

/** Banks check signatures before they answer, which can take half a minute. */
const ANSWER_MS_MAX = 60 * SECOND_MS;

export interface Host {
  /** @throws NoAnswer. */
  ask(request: string): Promise<string>;
  close(): Promise<void>;
}

/** No readable answer arrived. */
export class NoAnswer extends Error {
  /** Whether the request may have reached the bank. */
  readonly maybeArrived: boolean;

  constructor(reason: string, maybeArrived: boolean) {
    super(reason);
    this.name = "NoAnswer";
    this.maybeArrived = maybeArrived;
  }
}

interface HostOptions {
  readonly clock: Clock;
  readonly allowPrivate: boolean;
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** The limit for an answer in milliseconds; tests shorten it. */
  readonly answerMs?: number;
}

export function openHost(url: string, { clock, allowPrivate, signal, answerMs }: HostOptions): Host {
  const sender = createSender({ clock, allowPrivate, totalMs: answerMs ?? ANSWER_MS_MAX });
  const end = () => void sender.close();
  signal.addEventListener("abort", end, { once: true });
  return {
    async ask(request) {
      signal.throwIfAborted();
      const question = {
        url,
        method: "POST",
        headers: { "Content-Type": "text/xml; charset=UTF-8" },
        body: request,
      } as const;
      const answer = await sender.ask(question, MESSAGE_CHARS_MAX).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new NoAnswer(`The bank's host did not answer: ${reason}`, !wasNotReached(error));
      });
      if (answer.status !== 200) throw new NoAnswer(`The bank's host answered ${answer.status}.`, true);
      return answer.body.toString();
    },
    async close() {
      signal.removeEventListener("abort", end);
      await sender.close();
    },
  };
}
