/** `management/sepa-files/` and `management/unmatched/`: the bank's files to list, carry by hand and look into. */
import Type from "typebox";
import { buffer } from "node:stream/consumers";
import type { Deps } from "../deps.ts";
import { SEPA_ADAPTER } from "../gateways/sepa/adapter.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { nullable, oneOf, text } from "../http/fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../http/paging.ts";
import { openUpload } from "../http/upload.ts";
import { isUuid } from "../lib/ids.ts";
import { writeEntry } from "../merchants/audit/audit.ts";
import { IdInPath, MANAGEMENT } from "../merchants/records/routes.ts";
import { takeNews } from "../payments/news.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { unpack } from "./pack.ts";
import { readDelivery } from "./read.ts";
import { resolveUnmatched } from "./resolve.ts";
import {
  decideUnclear,
  findAccounts,
  findContent,
  findFile,
  listFiles,
  markDownloaded,
  type AccountRow,
  type ShownFile,
} from "./store.ts";
import { listEntries } from "./changes-store.ts";
import { findUnmatched, listUnmatched, type UnmatchedRow } from "./unmatched-store.ts";

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
    status: Type.Enum(["open", "applied", "dismissed"]),
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
const ResolveBody = Type.Object(
  {
    transaction_id: Type.Optional(nullable(Uuid)),
    dismiss: Type.Optional(Type.Boolean()),
    note: Type.Optional(nullable(text(500))),
  },
  { $id: "UnmatchedResolve" },
);
const ENTRIES_MAX = 1_000;
/** Some 700,000 entries; a day of more comes in several files, or packed. */
const UPLOAD_BYTES_MAX = 512 * 1_024 ** 2;

/** Declares the endpoints on the router. */
export function sepaFileRoutes(router: Router, deps: Deps): void {
  listAndRead(router, deps);
  carry(router, deps);
  unmatchedRoutes(router, deps);
}

function listAndRead(router: Router, deps: Deps): void {
  router.add("GET", FILES, {
    summary: "List SEPA files",
    tag,
    access: "management",
    schema: {
      query: Type.Object({
        ...PAGE_QUERY,
        direction: Type.Optional(oneOf(["out", "in"])),
        status: Type.Optional(oneOf(STATUSES)),
        gateway_id: Type.Optional(Uuid),
      }),
      response: { 200: pageSchema(FileRecord) },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { direction = null, status = null, gateway_id: gatewayId = null } = call.query;
      const page = await pageOf(
        deps,
        { tenant, path: FILES, query: call.query },
        (window) => listFiles(deps.db, tenant, { direction, status, gatewayId }, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(timesAsText) } };
    },
  });

  router.add("GET", `${FILES}{id}/`, {
    summary: "Read a SEPA file's record",
    tag,
    access: "management",
    schema: { params: IdInPath, response: { 200: FileRecord } },
    async handle(call) {
      return { status: 200, body: timesAsText(await fileOf(deps, tenantOf(call), call.params.id)) };
    },
  });

  router.add("GET", `${FILES}{id}/entries/`, {
    summary: "Read what each entry of a file led to",
    tag,
    access: "management",
    schema: {
      params: IdInPath,
      query: Type.Object({
        after: Type.Optional(Type.Integer({ minimum: 0, description: "Entries with a higher number." })),
        result: Type.Optional(oneOf(["settled", "rejected", "returned", "known", "ignored", "unmatched"])),
      }),
      response: { 200: Entries },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = await fileOf(deps, tenant, call.params.id);
      const { after = 0, result = null } = call.query;
      const found = await listEntries(deps.db, tenant, id, { after, limit: ENTRIES_MAX, result });
      const next = found.length === ENTRIES_MAX ? (found.at(-1)?.number ?? null) : null;
      return { status: 200, body: { next, results: found } };
    },
  });
}

function carry(router: Router, deps: Deps): void {
  router.add("GET", `${FILES}{id}/content/`, {
    summary: "Download a SEPA file",
    description:
      "The first download of a file that waits to be carried by hand counts as its way to the bank: its status becomes `sent`.",
    tag,
    access: "management",
    schema: { params: IdInPath, response: { 200: Type.String() } },
    otherFormats: { "application/xml": "The file as it goes to the bank, or as the bank sent it." },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = await fileOf(deps, tenant, call.params.id);
      const now = deps.clock.now();
      await deps.db.transaction(async (tx) => {
        const sent = await markDownloaded(tx, tenant, id, now);
        const change = {
          tenant,
          id: call.operationId,
          at: now,
          action: "replay",
          resource: "sepa-files",
        } as const;
        await writeEntry(tx, call, {
          ...change,
          resourceId: id,
          before: null,
          after: { downloaded: true, sent },
        });
      });
      const file = await findContent(deps.db, tenant, id);
      if (file === null) throw new Refusal("not_found");
      const body = await buffer(unpack(deps.keys, tenant, id, file.content));
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
      "Read at once: the answer says what became of it. The same file again changes nothing. Each file of a ZIP is read by itself.",
    tag,
    access: "management",
    body: "upload",
    bodyLimit: UPLOAD_BYTES_MAX,
    schema: { body: UploadForm, response: { 201: Delivery } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { fields, file } = await openUpload(call.headers, call.incoming);
      try {
        const account = await accountOf(deps, tenant, fields.get("gateway_id") ?? "");
        if (file === null || account === null) {
          throw new FieldErrors({
            ...(account === null ? { gateway_id: ["Name a gateway of the adapter sepa_batch."] } : {}),
            ...(file === null ? { file: ["This field is required."] } : {}),
          });
        }
        const read = await readDelivery(deps, account, file.name === "" ? "file" : file.name, file.bytes);
        await takeNews(deps, tenant, [SEPA_ADAPTER]);
        const files = read.map(({ file: one, known }) => ({ ...timesAsText(one), known }));
        return { status: 201, body: { files } };
      } finally {
        file?.bytes.resume();
      }
    },
  });

  router.add("POST", `${FILES}{id}/confirm/`, {
    summary: "Say whether an unclear file has reached the bank",
    description:
      "`arrived` false sends it again: ask the bank first, as a file that is sent twice is collected twice.",
    tag,
    access: "management",
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
        const change = {
          tenant,
          id: call.operationId,
          at: now,
          action: "update",
          resource: "sepa-files",
        } as const;
        await writeEntry(tx, call, {
          ...change,
          resourceId: id,
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
    access: "management",
    schema: {
      query: Type.Object({ ...PAGE_QUERY, status: Type.Optional(oneOf(["open", "applied", "dismissed"])) }),
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
    access: "management",
    schema: { params: IdInPath, response: { 200: Unmatched } },
    handle: async (call) => ({ status: 200, body: await unmatchedOf(deps, tenantOf(call), call.params.id) }),
  });

  router.add("POST", `${UNMATCHED}{id}/resolve/`, {
    summary: "Resolve an entry: apply it to a transaction, or dismiss it",
    tag,
    access: "management",
    schema: { params: IdInPath, body: ResolveBody, response: { 200: Unmatched } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { transaction_id: transactionId = null, dismiss = false, note = null } = call.body;
      if ((transactionId === null) !== dismiss) {
        throw new FieldErrors({ transaction_id: ["Give either transaction_id, or dismiss: true."] });
      }
      if (!isUuid(call.params.id)) throw new Refusal("not_found");
      const { operationId } = call;
      await resolveUnmatched(deps, {
        tenant,
        id: call.params.id,
        operationId,
        author: call,
        transactionId,
        note,
      });
      return { status: 200, body: await unmatchedOf(deps, tenant, call.params.id) };
    },
  });
}

async function fileOf(deps: Deps, tenant: number, id: string): Promise<ShownFile> {
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
    readonly ids?: { readonly references: readonly string[]; readonly mandateReference: string | null };
    readonly block?: { readonly blockId: string | null; readonly messageId: string | null } | null;
    readonly why?: { readonly code: string | null; readonly message: string | null };
  };
  const names = facts.ids?.references ?? [facts.block?.blockId, facts.block?.messageId];
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
    references: names.filter((name) => typeof name === "string"),
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
