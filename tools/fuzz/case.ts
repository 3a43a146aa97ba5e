/** What the parts of a case know of it. */
import type { Corpus } from "./corpus.ts";
import type { Document, Operation } from "./document.ts";
import type { Incoming, Outgoing } from "./send.ts";
import type { Maker } from "./values.ts";
import type { Tenant, World } from "./world.ts";

/** Sends as part of a case; every answer is judged. */
export type Judged = (operation: Operation, outgoing: Outgoing, as: Tenant | null) => Promise<Incoming>;

export interface CaseParts {
  readonly document: Document;
  readonly corpus: Corpus;
  readonly world: World;
  readonly send: Judged;
}

export interface Case extends CaseParts, Maker {
  readonly operation: Operation;
  /** The key that the request carries. */
  readonly key: string;
}

/** Of these a request uses up the record, so it is given one of its own. */
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

/** Whether a request leaves the record in its path other than it was. */
export function usesUp({ method, path }: Operation): boolean {
  const resource = /management\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? "";
  return (
    method !== "GET" && OWN_RECORD.has(resource) && !path.endsWith("/test/") && !path.includes("activities")
  );
}

/** What a case has made for itself. */
export interface Fresh {
  readonly id?: string;
  readonly token?: string;
  readonly key?: string;
  readonly verification?: string;
}
