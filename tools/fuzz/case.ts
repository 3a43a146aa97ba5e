/** The context of a case. */
import type { Corpus } from "./corpus.ts";
import type { Document, Operation } from "./document.ts";
import type { Incoming, Outgoing } from "./send.ts";
import type { Maker } from "./values.ts";
import type { Tenant, World } from "./world.ts";

/** Sends a request of a case; every response is checked. */
export type Judged = (operation: Operation, outgoing: Outgoing, as: Tenant | null) => Promise<Incoming>;

export interface CaseParts {
  readonly document: Document;
  readonly corpus: Corpus;
  readonly world: World;
  readonly send: Judged;
}

export interface Case extends CaseParts, Maker {
  readonly operation: Operation;
  /** The request's API key. */
  readonly key: string;
}

/** These requests use up the record, so they get a new one. */
const OWN_RECORD: ReadonlySet<string> = new Set([
  "api-keys",
  "campaigns",
  "gateways",
  "hosted-pages",
  "integrations",
  "offers",
  "payment-links",
  "tenants",
  "webhook-profiles",
]);

/** Whether a request changes the record in its path. */
export function usesUp({ method, path }: Operation): boolean {
  const resource = /management\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? "";
  return (
    method !== "GET" && OWN_RECORD.has(resource) && !path.endsWith("/test/") && !path.includes("activities")
  );
}

/** Records made for the case. */
export interface Fresh {
  readonly id?: string;
  readonly token?: string;
  readonly key?: string;
  readonly verification?: string;
}
