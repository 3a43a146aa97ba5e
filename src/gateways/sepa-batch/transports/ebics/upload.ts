/**
 * Uploads one order in segments. The bank has the order only with the last segment, which is sent once and recorded
 * before.
 */
import { deflateSync } from "node:zlib";
import { element } from "../../../../files/xml-markup.ts";
import { DECLARATION } from "../../../../files/xml-writer.ts";
import { sha256 } from "../../../../lib/keyring.ts";
import type { Ids } from "../../../../lib/ids.ts";
import type { Clock } from "../../../../lib/clock.ts";
import { readAnswer, type BankAnswer } from "./answer.ts";
import { encrypt, signedPart, signOrder, wrapKey } from "./crypto.ts";
import { NoAnswer, type Host } from "./host.ts";
import type { Order } from "./orders.ts";
import { transferRequest, uploadRequest } from "./requests.ts";
import { describeCode, verdictOf, type Verdict } from "./return-codes.ts";
import { NAMESPACES, XMLDSIG, type ReadySubscriber } from "./subscriber.ts";
import { Unreadable } from "../../../../files/xml-tree.ts";

/** In base64, with room for the envelope: some banks count both towards their limit of one megabyte. */
const SEGMENT_CHARS_MAX = 700_000;
/** How often a segment is repeated (the last of an upload never), and how often the bank may request a restart. */
export const AGAIN_MAX = 3;

export interface Session {
  readonly host: Host;
  readonly subscriber: ReadySubscriber;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** The bank's id of the transaction. */
export interface Started {
  readonly transactionId: string;
  /** Null if the bank gives none. */
  readonly orderId: string | null;
}

interface UploadSteps {
  /** Called when the bank has accepted the first request, before any segment is sent. */
  started(started: Started): Promise<void>;
  /**
   * Called before the last segment is sent. Returns false when another worker has taken over the file; nothing more is
   * sent then.
   */
  beforeLast(): Promise<boolean>;
}

export type UploadOutcome =
  | { readonly kind: "accepted" }
  /** Certainly not accepted; `verdict` says whether it may be repeated without a person. */
  | {
      readonly kind: "not_accepted";
      readonly verdict: "repeat" | "refused" | "stopped";
      readonly reason: string;
    }
  | { readonly kind: "unknown"; readonly reason: string }
  /** Another worker has taken over. */
  | { readonly kind: "left" };

/**
 * Sends an order. An uncertain result is `unknown`, never a guess.
 * @param segmentChars tests shorten it.
 */
export async function upload(
  session: Session,
  order: Order,
  orderData: Buffer,
  steps: UploadSteps,
  segmentChars = SEGMENT_CHARS_MAX,
): Promise<UploadOutcome> {
  const { subscriber, ids } = session;
  const key = ids.secret(16);
  const segments = inSegments(encrypt(key, deflateSync(orderData)).toString("base64"), segmentChars);
  const start = {
    order,
    segments: segments.length,
    wrappedKey: wrapKey(subscriber.bankKeys.encryption.publicKey, key),
    signatureData: encrypt(key, deflateSync(signatureDataOf(subscriber, orderData))),
    digest: sha256(signedPart(orderData)),
  };
  const moment = { nonce: ids.secret(16), at: session.clock.now() };
  const begun = await exchange(session, uploadRequest(subscriber, start, moment));
  if (begun.kind === "none") return notAccepted("repeat", begun.reason);
  const { answer } = begun;
  const verdict = verdictOf(answer.code);
  if (verdict !== "good") return notAccepted(verdict, describeCode(answer.code));
  const { transactionId, orderId } = answer;
  if (transactionId === null) return notAccepted("repeat", "The bank began no transaction.");
  await steps.started({ transactionId, orderId });
  return transfer(session, transactionId, segments, steps);
}

async function transfer(
  session: Session,
  transactionId: string,
  segments: readonly string[],
  steps: UploadSteps,
): Promise<UploadOutcome> {
  let again = 0;
  for (let number = 1; number <= segments.length;) {
    const last = number === segments.length;
    if (last && !(await steps.beforeLast())) return { kind: "left" };
    const request = transferRequest(
      session.subscriber,
      { transactionId, number, last },
      segments[number - 1] ?? "",
    );
    const { answer, reason, maybeArrived } = await exchange(session, request);
    if (answer === null) {
      if (last && maybeArrived) return { kind: "unknown", reason };
      again += 1;
      if (again > AGAIN_MAX) return notAccepted("repeat", reason);
      continue;
    }
    const verdict = verdictOf(answer.code, last);
    if (verdict !== "recover" && !isAbout(answer, transactionId, number, verdict)) {
      return unknownOr(last, "The bank's answer is not about this segment.");
    }
    if (verdict === "good") {
      number += 1;
    } else if (verdict === "recover") {
      const next = nextAfter(answer, segments.length);
      again += 1;
      if (next === null) return unknownOr(last, describeCode(answer.code));
      if (again > AGAIN_MAX) return notAccepted("repeat", describeCode(answer.code));
      number = next;
    } else {
      return verdict === "unknown"
        ? { kind: "unknown", reason: describeCode(answer.code) }
        : notAccepted(verdict, describeCode(answer.code));
    }
  }
  return { kind: "accepted" };
}

/**
 * Whether an answer is about this segment: one signed for another segment is not. Some banks refuse without naming the
 * transaction; none accepts that way.
 */
function isAbout(answer: BankAnswer, transactionId: string, number: number, verdict: Verdict): boolean {
  const { segment } = answer;
  return (
    (answer.transactionId === transactionId || (answer.transactionId === null && verdict !== "good")) &&
    (segment === null || segment.number === number)
  );
}

/** The segment after the last one that the bank has; null if it names none that is still to come. */
function nextAfter({ phase, segment }: BankAnswer, count: number): number | null {
  if (phase === "Initialisation") return 1;
  return segment !== null && segment.number < count ? segment.number + 1 : null;
}

function unknownOr(last: boolean, reason: string): UploadOutcome {
  return last ? { kind: "unknown", reason } : notAccepted("repeat", reason);
}

function notAccepted(verdict: ReturnType<typeof verdictOf>, reason: string): UploadOutcome {
  const kept = verdict === "repeat" || verdict === "stopped" ? verdict : "refused";
  return { kind: "not_accepted", verdict: kept, reason };
}

type Asked =
  | { readonly kind: "answer"; readonly answer: BankAnswer; readonly reason: ""; readonly maybeArrived: true }
  | { readonly kind: "none"; readonly answer: null; readonly reason: string; readonly maybeArrived: boolean };

/** Sends a request; an answer that fails verification counts as no answer. */
export async function exchange({ host, subscriber }: Session, request: string): Promise<Asked> {
  try {
    const answer = readAnswer(await host.ask(request), subscriber);
    return { kind: "answer", answer, reason: "", maybeArrived: true };
  } catch (error) {
    if (!(error instanceof NoAnswer) && !(error instanceof Unreadable)) throw error;
    const maybeArrived = !(error instanceof NoAnswer) || error.maybeArrived;
    return { kind: "none", answer: null, reason: error.message, maybeArrived };
  }
}

function inSegments(text: string, chars: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, index) =>
    text.slice(index * chars, (index + 1) * chars),
  );
}

/** Our signature over the order, encrypted for the bank. */
function signatureDataOf(subscriber: ReadySubscriber, orderData: Buffer): Buffer {
  const { version, signatureVersion, partnerId, userId, keys } = subscriber;
  const value = signOrder(signatureVersion, keys.signature.privateKey, orderData);
  const data = element(
    "UserSignatureData",
    { xmlns: NAMESPACES[version].signature, "xmlns:ds": XMLDSIG },
    element(
      "OrderSignatureData",
      {},
      element("SignatureVersion", {}, signatureVersion),
      element("SignatureValue", {}, value.toString("base64")),
      element("PartnerID", {}, partnerId),
      element("UserID", {}, userId),
    ),
  );
  return Buffer.from(DECLARATION + data.text);
}
