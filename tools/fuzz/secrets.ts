/** The secrets that must not leak: all that the run created or received, and the search for them in a text. */
import { createHash } from "node:crypto";

type SecretKind =
  | "API key"
  | "session token"
  | "postback token"
  | "webhook secret"
  | "planted secret"
  | "IBAN";

interface Found {
  readonly kind: SecretKind;
  readonly value: string;
}

export interface Secrets {
  plant(kind: SecretKind, value: string): void;
  /**
   * Records secrets in a response's documented fields. @param sent the request's body, whose own secrets come from the corpus, like other input.
   */
  learn(answer: unknown, sent?: string): void;
  /** All secrets in a text. */
  search(text: string): readonly Found[];
}

/** All secrets that the service makes have one of these beginnings. */
const SHAPE = /(?:ps_|rk_|pb_|canary-)[A-Za-z0-9_-]{8,}|whsec_[A-Za-z0-9_+/=-]{8,}/g;
/** With or without groups of four, ignoring case. */
const IBAN_SHAPE = /\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{2,4}){3,8}\b/g;
/** The fields in which the service returns a secret once. */
export const TOLD: Readonly<Record<string, SecretKind>> = {
  api_key: "API key",
  signing_secret: "webhook secret",
  session_token: "session token",
  payment_url: "session token",
  postback_url: "postback token",
};

export function createSecrets(): Secrets {
  const known = new Map<string, SecretKind>();
  const secrets: Secrets = {
    plant: (kind, value) => void known.set(kind === "IBAN" ? compact(value) : value, kind),
    learn(answer, sent = "") {
      if (typeof answer !== "object" || answer === null) return;
      for (const [name, value] of Object.entries(answer)) {
        const kind = TOLD[name];
        if (kind !== undefined && typeof value === "string") {
          for (const [secret] of value.matchAll(SHAPE)) if (!sent.includes(secret)) known.set(secret, kind);
        } else secrets.learn(value, sent);
      }
    },
    search(text) {
      const found: Found[] = [];
      for (const [value] of text.matchAll(SHAPE)) {
        const kind = known.get(value);
        if (kind !== undefined) found.push({ kind, value });
      }
      for (const [match] of text.matchAll(IBAN_SHAPE)) {
        const value = compact(match);
        if (known.get(value) === "IBAN") found.push({ kind: "IBAN", value });
      }
      return found;
    },
  };
  return secrets;
}

function compact(iban: string): string {
  return iban.replace(/[^A-Za-z0-9]/g, "").toUpperCase();
}

/** The text with each secret replaced by a mark that is the same for the same secret. */
export function withoutSecrets(text: string): string {
  const mark = (secret: string) =>
    `${secret.slice(0, 3)}<${createHash("sha256").update(secret).digest("hex").slice(0, 6)}>`;
  return text
    .replace(SHAPE, mark)
    .replace(IBAN_SHAPE, (match) =>
      /^[A-Za-z]{2}\d{2}/.test(match) && compact(match).length > 14 ? mark(match) : match,
    );
}
