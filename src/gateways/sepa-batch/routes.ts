/** `management/sepa-files/` and `management/unmatched/`: the bank's files to list, carry by hand and look into. */
import Type, { type Static } from "typebox";
import type { Reader } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { holdBack, withdraw } from "./outgoing/take-back.ts";
import { tenantOf, type Call, type EndpointSchema, type Router } from "../../http/endpoint.ts";
import { amount, nullable, oneOf, text } from "../../http/fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../../http/paging.ts";
import { openUpload } from "../../http/upload.ts";
import { addTargetDays } from "../../sepa/target.ts";
import { must } from "../../lib/assert.ts";
import { utcDate } from "../../lib/dates.ts";
import { isUuid } from "../../lib/ids.ts";
import { parseAmount } from "../../lib/money.ts";
import { writeEntry } from "../../management/audit/audit.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { unpack } from "./pack.ts";
import { BANK_FILE_BYTES_MAX, readDelivery } from "./incoming/read.ts";
import { resolveUnmatched, type ResolveInput } from "./unmatched/resolve.ts";
import {
  contentOf,
  decideUnclear,
  findAccounts,
  findContent,
  findFile,
  listFiles,
  markSent,
  type AccountRow,
  type ShownFile,
} from "./files-store.ts";
import { listEntries, listInstructions } from "./incoming/changes-store.ts";
import { followSoon } from "./incoming/follow.ts";
import { statementRoutes } from "./incoming/statements/routes.ts";
import { findUnmatched, listUnmatched, type UnmatchedRow } from "./unmatched/store.ts";

const FILES = `${MANAGEMENT}sepa-files/`;
const UNMATCHED = `${MANAGEMENT}unmatched/`;
const tag = "SEPA files";

const Text = nullable(Type.String());
const Time = Type.String({ format: "date-time" });
const Day = nullable(Type.String({ format: "date" }));
const Uuid = Type.String({ format: "uuid" });

const STATUSES = [
  "ready",
  "stored",
  "uploading",
  "renaming",
  "sent",
  "unclear",
  "withdrawn",
  "applied",
  "refused",
] as const;

const FileRecord = Type.Object(
  {
    id: Uuid,
    gateway_id: Uuid,
    direction: Type.Enum(["out", "in"]),
    kind: Type.String({ description: "pain.008, pain.001, pain.002, camt.052, camt.053, camt.054" }),
    name: Type.String(),
    message_id: Text,
    sha256: Type.String(),
    size: Type.Integer({ description: "Bytes." }),
    transactions: Type.Integer({ description: "Out: instructions. In: entries and statuses." }),
    amount: Type.String(),
    due_date: Day,
    status: Type.Enum([...STATUSES]),
    error: Text,
    report: Type.Record(Type.String(), Type.Unknown(), {
      description: "In: how many entries were settled, rejected, returned, known, ignored, unmatched.",
    }),
    attempts: Type.Integer(),
    following: Type.Integer({
      description: "In: payments that do not have yet what the file said. They follow by themselves.",
    }),
    unanswered: Type.Integer({ description: "Out: instructions that the bank has not answered." }),
    sent_at: nullable(Time),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "SepaFile" },
);
const Delivery = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        ...FileRecord.properties,
        known: Type.Boolean({ description: "Read before: nothing was done." }),
      }),
    ),
  },
  { $id: "SepaDelivery" },
);
const Entries = Type.Object(
  {
    next: nullable(Type.Integer({ description: "The `after` of the next page." })),
    results: Type.Array(
      Type.Object({
        number: Type.Integer(),
        result: Type.String(),
        reference: Text,
        amount: Text,
        reason_code: Text,
        detail: Type.String(),
      }),
    ),
  },
  { $id: "SepaFileEntries" },
);
const UNMATCHED_STATUSES = ["open", "part", "applied", "dismissed"] as const;
const Unmatched = Type.Object(
  {
    id: Uuid,
    gateway_id: Uuid,
    file_id: Uuid,
    entry: Type.Integer({ description: "Its number in the file's entries." }),
    kind: Type.String(),
    why: Type.String(),
    amount: Text,
    bank_fee: Text,
    booked_on: Day,
    references: Type.Array(Type.String()),
    mandate_reference: Text,
    reason_code: Text,
    reason_message: Text,
    status: Type.Enum([...UNMATCHED_STATUSES]),
    resolution: Text,
    resolved_at: nullable(Time),
    created_at: Time,
  },
  { $id: "UnmatchedEntry" },
);

const UploadForm = Type.Object({
  gateway_id: Uuid,
  file: Type.String({ description: "pain.002 or camt XML, or a ZIP of such.", format: "binary" }),
});
const ACTIONS = ["apply", "settle", "part", "reinstate", "dismiss"] as const;
const ResolveBody = Type.Object(
  {
    action: Type.Optional(
      oneOf(ACTIONS, { description: "Default: apply, or dismiss where `dismiss` says so." }),
    ),
    transaction_id: Type.Optional(nullable(Uuid)),
    transaction_ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 1_000 })),
    block_id: Type.Optional(nullable(text(35, { description: "PmtInfId of a block that was sent." }))),
    file_id: Type.Optional(nullable(Uuid)),
    bank_fee: Type.Optional(
      nullable(amount({ description: "What the bank kept of a credit, or took beside a return." })),
    ),
    accept_amount: Type.Optional(Type.Boolean({ description: "Apply it although the amounts differ." })),
    dismiss: Type.Optional(Type.Boolean()),
    note: Type.Optional(nullable(text(500))),
  },
  { $id: "UnmatchedResolve" },
);
const RESOLVE_WORDS =
  "`apply`: it is about one transaction. `settle`: it is the money of a list of transactions, of a block or of a file. " +
  "`part`: it is a part of that money; the sum of the parts settles it. `reinstate`: it is money for a transaction that the " +
  "bank had rejected, or whose return it has taken back. `dismiss`: it changes nothing. Amounts that differ are refused " +
  "unless `bank_fee` explains them or `accept_amount` says that they may; a return of less is recorded with its own amount.";
const ENTRIES_MAX = 1_000;
/** Some 700,000 entries; a day of more comes in several files, or packed. */

/** Declares the endpoints on the router. */
export function sepaFileRoutes(router: Router, deps: Deps): void {
  listAndRead(router, deps);
  carry(router, deps);
  unmatchedRoutes(router, deps);
  statementRoutes(router, deps);
}

function listAndRead(router: Router, deps: Deps): void {
  router.add("GET", FILES, {
    summary: "List SEPA files",
    tag,
    access: "read",
    schema: {
      query: Type.Object({
        ...PAGE_QUERY,
        direction: Type.Optional(oneOf(["out", "in"])),
        status: Type.Optional(oneOf(STATUSES)),
        overdue: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 60,
            description: "Only files with instructions unanswered so many TARGET days after their due date.",
          }),
        ),
        gateway_id: Type.Optional(Uuid),
      }),
      response: { 200: pageSchema(FileRecord) },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { direction = null, status = null, gateway_id: gatewayId = null, overdue } = call.query;
      const today = utcDate(deps.time.now(tenant));
      const unansweredSince = overdue === undefined ? null : addTargetDays(today, -overdue);
      const page = await pageOf(
        deps,
        { tenant, path: FILES, query: call.query },
        (window) => listFiles(deps.db, tenant, { direction, status, gatewayId, unansweredSince }, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(timesAsText) } };
    },
  });

  router.add("GET", `${FILES}{id}/`, {
    summary: "Read a SEPA file's record",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: FileRecord } },
    async handle(call) {
      return { status: 200, body: timesAsText(await fileOf(deps, tenantOf(call), call.params.id)) };
    },
  });

  router.add("GET", `${FILES}{id}/entries/`, {
    summary: "Read what each entry of a file led to",
    description: "Of a file that went out: its instructions, and the answer to each.",
    tag,
    access: "read",
    schema: {
      params: IdInPath,
      query: Type.Object({
        after: Type.Optional(Type.Integer({ minimum: 0, description: "Entries with a higher number." })),
        result: Type.Optional(
          oneOf(["settled", "rejected", "returned", "known", "ignored", "unmatched", "unanswered"]),
        ),
      }),
      response: { 200: Entries },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id, direction } = await fileOf(deps, tenant, call.params.id);
      const { after = 0, result = null } = call.query;
      const list = direction === "out" ? listInstructions : listEntries;
      const found = await list(deps.db, tenant, id, { after, limit: ENTRIES_MAX, result });
      const next = found.length === ENTRIES_MAX ? (found.at(-1)?.number ?? null) : null;
      return { status: 200, body: { next, results: found } };
    },
  });
}

function carry(router: Router, deps: Deps): void {
  router.add("GET", `${FILES}{id}/content/`, {
    summary: "Download a SEPA file",
    description:
      "The file as it is. Once it has been given to the bank by hand, say so with `mark-sent`. The audit log has who downloaded it. One that must not go to the bank (any more) is a 409 that says why: its day has passed, it holds a refund of a debit that came back, or it was taken back.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: Type.String() } },
    otherFormats: { "application/xml": "The file as it goes to the bank, or as the bank sent it." },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = await fileOf(deps, tenant, call.params.id);
      const why = await deps.db.transaction(async (tx) => {
        const held = await holdBack(deps, tx, tenant, id);
        if (held !== null) return held;
        const { status, error } = await fileOf({ db: tx }, tenant, id);
        if (status === "withdrawn") return String(error);
        await writeEntry(tx, call, {
          ...entryOf(deps, call, id),
          action: "export",
          before: null,
          after: { downloaded: true },
        });
        return null;
      });
      if (why !== null) throw new Refusal("file_held_back", { detail: why });
      const file = await findContent(deps.db, tenant, id);
      if (file === null) throw new Refusal("not_found");
      const body = unpack(deps.keys, tenant, id, contentOf(deps.db, tenant, id, file.content));
      const headers = {
        "Content-Type": file.kind === "zip" ? "application/zip" : "application/xml",
        "Content-Disposition": `attachment; filename="${file.name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}"`,
      };
      return { status: 200, body, headers };
    },
  });

  router.add("POST", FILES, {
    summary: "Upload a bank's file",
    description:
      "Read at once: the answer says what became of it. Payments follow by themselves: `following` of the file says how many have yet to. The same file again changes nothing. Each file of a ZIP is read by itself.",
    tag,
    access: "bank",
    body: "upload",
    bodyLimit: BANK_FILE_BYTES_MAX,
    schema: { body: UploadForm, response: { 201: Delivery } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { fields, file } = await openUpload(call);
      try {
        const account = await accountOf(deps, tenant, fields.get("gateway_id") ?? "");
        if (file === null || account === null) {
          throw new FieldErrors({
            ...(account === null ? { gateway_id: ["Name a gateway of the adapter sepa_batch."] } : {}),
            ...(file === null ? { file: ["This field is required."] } : {}),
          });
        }
        const read = await readDelivery(deps, account, file.name === "" ? "file" : file.name, file.bytes);
        followSoon(deps, tenant);
        const files = read.map(({ file: one, known }) => ({ ...timesAsText(one), known }));
        return { status: 201, body: { files } };
      } finally {
        file?.bytes.resume();
      }
    },
  });

  router.add("POST", `${FILES}{id}/mark-sent/`, {
    summary: "Say that a file was given to the bank by hand",
    description:
      "For a file that waits to be carried (`ready`): its status becomes `sent`. One that is sent already stays as it is.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: FileRecord } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = await fileOf(deps, tenant, call.params.id);
      await deps.db.transaction(async (tx) => {
        if (!(await markSent(tx, tenant, id, deps.clock.now()))) return;
        await writeEntry(tx, call, {
          ...entryOf(deps, call, id),
          action: "update",
          before: { status: "ready" },
          after: { status: "sent" },
        });
      });
      const file = await fileOf(deps, tenant, id);
      if (file.status !== "sent") throw new Refusal("file_not_ready");
      return { status: 200, body: timesAsText(file) };
    },
  });

  router.add("POST", `${FILES}{id}/withdraw/`, {
    summary: "Take a file back that was not given to the bank",
    description:
      "What is in it waits for the next file. Only for one that has not gone (`ready`, `stored`, `uploading`): a file that was given to the bank and taken back here is collected twice.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: FileRecord } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id, status } = await fileOf(deps, tenant, call.params.id);
      if (status !== "withdrawn") {
        await deps.db.transaction(async (tx) => {
          const before = await withdraw(deps, tx, tenant, id);
          await writeEntry(tx, call, {
            ...entryOf(deps, call, id),
            action: "update",
            before: { status: before.status },
            after: { status: "withdrawn" },
          });
        });
      }
      return { status: 200, body: timesAsText(await fileOf(deps, tenant, id)) };
    },
  });

  router.add("POST", `${FILES}{id}/confirm/`, {
    summary: "Say whether an unclear file has reached the bank",
    description:
      "`arrived` false sends it again: ask the bank first, as a file that is sent twice is collected twice.",
    tag,
    access: "bank",
    schema: {
      params: IdInPath,
      body: Type.Object({ arrived: Type.Boolean() }, { $id: "SepaFileConfirm" }),
      response: { 200: FileRecord },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = await fileOf(deps, tenant, call.params.id);
      const now = deps.clock.now();
      await deps.db.transaction(async (tx) => {
        if (!(await decideUnclear(tx, tenant, id, call.body.arrived, now)))
          throw new Refusal("file_not_unclear");
        await writeEntry(tx, call, {
          ...entryOf(deps, call, id),
          action: "update",
          before: { status: "unclear" },
          after: call.body,
        });
      });
      return { status: 200, body: timesAsText(await fileOf(deps, tenant, id)) };
    },
  });
}

function unmatchedRoutes(router: Router, deps: Deps): void {
  router.add("GET", UNMATCHED, {
    summary: "List what the bank's files said and nobody could place",
    tag,
    access: "read",
    schema: {
      query: Type.Object({ ...PAGE_QUERY, status: Type.Optional(oneOf(UNMATCHED_STATUSES)) }),
      response: { 200: pageSchema(Unmatched) },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { status = null } = call.query;
      const page = await pageOf(
        deps,
        { tenant, path: UNMATCHED, query: call.query },
        (window) => listUnmatched(deps.db, tenant, status, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(shownUnmatched) } };
    },
  });

  router.add("GET", `${UNMATCHED}{id}/`, {
    summary: "Read an entry that nobody could place",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: Unmatched } },
    handle: async (call) => ({ status: 200, body: await unmatchedOf(deps, tenantOf(call), call.params.id) }),
  });

  router.add("POST", `${UNMATCHED}{id}/resolve/`, {
    summary: "Resolve an entry: apply it to what it was about, or dismiss it",
    description: RESOLVE_WORDS,
    tag,
    access: "bank",
    schema: { params: IdInPath, body: ResolveBody, response: { 200: Unmatched } },
    async handle(call) {
      const tenant = tenantOf(call);
      if (!isUuid(call.params.id)) throw new Refusal("not_found");
      const { operationId } = call;
      const row = await resolveUnmatched(deps, {
        tenant,
        id: call.params.id,
        operationId,
        author: call,
        ...readResolution(call.body),
      });
      return { status: 200, body: shownUnmatched(row) };
    },
  });
}

function entryOf(deps: Deps, call: Call<EndpointSchema>, id: string) {
  return {
    tenant: tenantOf(call),
    id: call.operationId,
    at: deps.clock.now(),
    resource: "sepa-files",
    resourceId: id,
  } as const;
}

type Said = Static<typeof ResolveBody>;

/** @throws FieldErrors where the target does not fit the action. */
function readResolution(body: Said): Omit<ResolveInput, "tenant" | "id" | "operationId" | "author"> {
  const { dismiss = false, note = null, accept_amount: acceptAmount = false } = body;
  const { block_id: blockId = null, file_id: fileId = null, bank_fee: fee = null } = body;
  const action = body.action ?? (dismiss ? "dismiss" : "apply");
  const one = body.transaction_id ?? null;
  const transactionIds = [...(body.transaction_ids ?? []), ...(one === null ? [] : [one])];
  const named = [transactionIds.length > 0, blockId !== null, fileId !== null].filter(Boolean).length;
  const problem = problemOfTarget(action, dismiss, named, transactionIds.length);
  if (problem !== null) throw new FieldErrors({ transaction_id: [problem] });
  const bankFee = fee === null ? null : must(parseAmount(fee), "an amount that the schema has read");
  return { action, transactionIds, blockId, fileId, bankFee, acceptAmount, note };
}

function problemOfTarget(
  action: ResolveInput["action"],
  dismiss: boolean,
  named: number,
  transactions: number,
): string | null {
  const either = "Give either transaction_id, or dismiss: true.";
  if (action === "dismiss") return named === 0 ? null : either;
  if (dismiss) return either;
  if (action === "settle" || action === "part") {
    return named === 1 ? null : "Give one of transaction_id, transaction_ids, block_id and file_id.";
  }
  return named === 1 && transactions === 1 ? null : either;
}

async function fileOf(deps: { readonly db: Reader }, tenant: number, id: string): Promise<ShownFile> {
  const row = isUuid(id) ? await findFile(deps.db, tenant, id) : null;
  if (row === null) throw new Refusal("not_found");
  return row;
}

async function accountOf(deps: Deps, tenant: number, gatewayId: string): Promise<AccountRow | null> {
  if (!isUuid(gatewayId)) return null;
  return (await findAccounts(deps.db, tenant, gatewayId))[0] ?? null;
}

async function unmatchedOf(deps: Deps, tenant: number, id: string): Promise<object> {
  const row = isUuid(id) ? await findUnmatched(deps.db, tenant, id) : null;
  if (row === null) throw new Refusal("not_found");
  return shownUnmatched(row);
}

function shownUnmatched(row: UnmatchedRow): object {
  const facts = row.facts as {
    readonly ids?: {
      readonly references: readonly string[];
      readonly mandateReference: string | null;
      readonly others?: readonly string[];
    };
    readonly block?: { readonly blockId: string | null; readonly messageId: string | null } | null;
    readonly why?: { readonly code: string | null; readonly message: string | null };
  };
  const given = [...(facts.ids?.references ?? []), facts.block?.blockId, facts.block?.messageId];
  const named = given.filter((name) => typeof name === "string");
  const { id, gateway_id, file_id, entry, kind, why, amount, bank_fee, booked_on, status, resolution } = row;
  return {
    id,
    gateway_id,
    file_id,
    entry,
    kind,
    why,
    amount,
    bank_fee,
    booked_on,
    references: named.length > 0 ? named : (facts.ids?.others ?? []),
    mandate_reference: facts.ids?.mandateReference ?? null,
    reason_code: facts.why?.code ?? null,
    reason_message: facts.why?.message ?? null,
    status,
    resolution,
    resolved_at: row.resolved_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

function timesAsText(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
}
