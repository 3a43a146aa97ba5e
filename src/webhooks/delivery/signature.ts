/** Signs a request over the bytes that are sent, in our own form and in that of Standard Webhooks (contract: Signatures). */
import { createHmac } from "node:crypto";

/** The secrets of a profile as its receiver knows them; the previous one also signs during a rotation. */
export interface Secrets {
  readonly current: string;
  readonly previous: string | null;
}

/** The contents of one request. */
interface Message {
  readonly event: string;
  readonly eventId: string;
  readonly deliveryId: string;
  /** From 1; never repeated for a delivery. */
  readonly attempt: number;
  readonly at: Date;
  readonly body: string;
}

/** Lower-case hexadecimal HMAC-SHA256, keyed with the secret's own text (contract: Signatures). */
export function signatureOf(secret: string, body: string | Buffer): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/** `v1,` and the base64 of the HMAC-SHA256 over id, time and body (Standard Webhooks). */
export function standardSignatureOf(secret: string, id: string, seconds: number, body: string): string {
  const mac = createHmac("sha256", standardKey(secret)).update(`${id}.${seconds}.${body}`);
  return `v1,${mac.digest("base64")}`;
}

/** Every header of a request except those of HTTP itself. */
export function signedHeaders({ current, previous }: Secrets, message: Message): Record<string, string> {
  const seconds = Math.floor(message.at.getTime() / 1_000);
  const all = previous === null ? [current] : [current, previous];
  const standard = all.map((secret) => standardSignatureOf(secret, message.eventId, seconds, message.body));
  return {
    "Content-Type": "application/json",
    "X-Service-Event": message.event,
    "X-Service-Signature": signatureOf(current, message.body),
    ...(previous === null ? {} : { "X-Service-Signature-Previous": signatureOf(previous, message.body) }),
    "X-Service-Delivery": message.deliveryId,
    "X-Service-Attempt": String(message.attempt),
    "X-Service-Timestamp": String(seconds),
    // The same id however often and through whichever profile the event is sent.
    "webhook-id": message.eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": standard.join(" "),
  };
}

const PREFIX = "whsec_";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The decoded key of a generated secret; a merchant's own secret, which need not be base64, is used as text. */
function standardKey(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  return BASE64.test(text) ? Buffer.from(text, "base64") : Buffer.from(secret);
}
