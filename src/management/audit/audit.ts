/** Who changed what: every write of the management API leaves an entry in its own transaction. */
import type { Reader, Tx } from "../../db/database.ts";
import type { AuditLogRow } from "../../db/rows.ts";
import type { Caller } from "../../http/endpoint.ts";
import { assert, must } from "../../lib/assert.ts";
import { Refusal } from "../../refusals.ts";
import { findEntry, insertEntry } from "./store.ts";

/** The request behind a change. Customers come through a link that was sent to them. */
export interface Author {
  readonly caller: Caller | { readonly kind: "customer" };
  readonly clientIp: string;
  readonly requestId: string;
}

/** The customer who opened a link. */
export function customerAuthor({ clientIp, requestId }: Pick<Author, "clientIp" | "requestId">): Author {
  return { caller: { kind: "customer" }, clientIp, requestId };
}

/** Who has the database has the command line. */
export const COMMAND_LINE: Author = {
  caller: { kind: "operator" },
  clientIp: "command line",
  requestId: "command line",
};

export interface Change {
  readonly tenant: number;
  /** Drawn once per operation. */
  readonly id: string;
  readonly at: Date;
  readonly action:
    | "create"
    | "update"
    | "archive"
    | "rotate"
    | "revoke"
    | "rotate_secret"
    | "rotate_token"
    | "replay"
    | "export"
    | "invite"
    | "accept"
    | "reset"
    | "remove"
    | "sign_in"
    | "sign_out"
    | "end_sessions"
    | "erase";
  /** The resource's name in the path. */
  readonly resource: string;
  /** Null for what exists once. */
  readonly resourceId: string | null;
  /** As the API shows the record: without secrets. */
  readonly before: object | null;
  readonly after: object | null;
}

/**
 * Writes the entry, unless the same operation has already written it.
 * @throws Refusal already_exists where another operation has the id: a form's ids come from its browser, and what is
 * done under a used one would be in no entry.
 */
export async function writeEntry(tx: Tx, author: Author, change: Change): Promise<void> {
  const { actor, actor_name } = actorOf(author.caller);
  const written = await insertEntry(tx, {
    actor,
    actor_name,
    tenant: change.tenant,
    id: change.id,
    at: change.at,
    action: change.action,
    resource: change.resource,
    resource_id: change.resourceId,
    before: change.before,
    after: change.after,
    ip: author.clientIp,
    request_id: author.requestId,
  });
  if (written) return;
  refuseAnother(
    must(await findEntry(tx, change.tenant, change.id), "the entry that has the id"),
    author,
    change,
  );
}

/**
 * Whether this operation has run before.
 * @throws Refusal already_exists where another one has its id.
 */
export async function hasRun(reader: Reader, author: Author, operation: Operation): Promise<boolean> {
  return (await entryOfOperation(reader, author, operation)) !== null;
}

type Operation = Pick<Change, "tenant" | "id" | "resource" | "resourceId">;

/**
 * The entry of this operation, if it has run before; otherwise null.
 * @throws Refusal already_exists where another one has its id.
 */
export async function entryOfOperation(
  reader: Reader,
  author: Author,
  operation: Operation,
): Promise<AuditLogRow | null> {
  const there = await findEntry(reader, operation.tenant, operation.id);
  if (there !== null) refuseAnother(there, author, operation);
  return there;
}

function refuseAnother(
  there: AuditLogRow,
  { caller }: Author,
  { resource, resourceId }: Pick<Change, "resource" | "resourceId">,
): void {
  const isSame =
    there.actor === actorOf(caller).actor &&
    there.resource === resource &&
    there.resource_id === (resourceId?.toLowerCase() ?? null);
  if (!isSame)
    throw new Refusal("already_exists", { detail: "This id was already used for something else." });
}

/** The name of a caller in the log. */
export function actorOf(caller: Author["caller"]): Pick<AuditLogRow, "actor" | "actor_name"> {
  if (caller.kind === "key") return { actor: `key:${caller.keyId}`, actor_name: caller.name };
  if (caller.kind === "person") return { actor: `person:${caller.personId}`, actor_name: caller.name };
  if (caller.kind === "customer") return { actor: "customer", actor_name: "customer" };
  assert(caller.kind === "operator", "only keys, people and customers change records");
  return { actor: "operator", actor_name: "operator" };
}
