/** `management/sepa-files/`: the bank's files, listed, carried by hand and looked into. */
import { Type, type Static } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import {
  attachmentHeader,
  tenantOf,
  type Answer,
  type Call,
  type EndpointSchema,
  type Router,
} from "../../http/endpoint.ts";
import { pageOf, pageSchema } from "../../http/paging.ts";
import { timesAsText } from "../../http/times-as-text.ts";
import { openUpload } from "../../http/upload.ts";
import { utcDate } from "../../lib/dates.ts";
import { isUuid } from "../../lib/ids.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { FieldErrors } from "../../refusals.ts";
import { addTargetDays } from "../../sepa/target.ts";
import {
  confirmFile,
  downloadFile,
  requireFile,
  markFileSent,
  withdrawFile,
  type FileCommand,
} from "./file-commands.ts";
import { accountsOf } from "./accounts.ts";
import { approveFile } from "./approve/approve.ts";
import {
  Accounts,
  ConfirmBody,
  FileDelivery,
  Entries,
  EntriesQuery,
  FileQuery,
  FileRecord,
  UploadForm,
} from "./file-schemas.ts";
import { findAccounts, listFiles, type AccountRow, type ShownFile } from "./files-store.ts";
import { listReportLines, listInstructions } from "./incoming/lines-store.ts";
import { startApplyingNews } from "./incoming/start-news.ts";
import { BANK_FILE_BYTES_MAX, readDelivery } from "./incoming/read-delivery.ts";
import { statementRoutes } from "./incoming/statements/routes.ts";
import { cancelRoutes } from "./cancel/routes.ts";
import { ebicsRoutes } from "./transports/ebics/routes.ts";
import { unmatchedRoutes } from "./unmatched/routes.ts";

const FILES = `${MANAGEMENT}sepa-files/`;
const tag = "SEPA files";
const ENTRIES_MAX = 1_000;

/** Declares the endpoints on the router. */
export function sepaFileRoutes(router: Router, deps: Deps): void {
  accountAndFileRoutes(router, deps);
  uploadRoutes(router, deps);
  cancelRoutes(router, deps);
  unmatchedRoutes(router, deps);
  statementRoutes(router, deps);
  ebicsRoutes(router, deps);
}

function accountAndFileRoutes(router: Router, deps: Deps): void {
  router.add("GET", `${MANAGEMENT}sepa-accounts/`, {
    summary: "List the accounts at banks, with their next cut-off and what waits for it",
    tag,
    access: "read",
    schema: { response: { 200: Accounts } },
    async handle(call) {
      return { status: 200, body: { results: (await accountsOf(deps, tenantOf(call))).map(timesAsText) } };
    },
  });

  router.add("GET", FILES, {
    summary: "List SEPA files",
    tag,
    access: "read",
    schema: {
      query: FileQuery,
      response: { 200: pageSchema(FileRecord) },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const filters = fileFilters(call.query, deps.time.now(tenant));
      const page = await pageOf(
        deps,
        { tenant, path: FILES, query: call.query },
        (window) => listFiles(deps.db, tenant, filters, window),
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
      return {
        status: 200,
        body: timesAsText(await requireFile(deps, { tenant: tenantOf(call), id: call.params.id })),
      };
    },
  });

  router.add("GET", `${FILES}{id}/entries/`, {
    summary: "List what each entry of a file led to",
    description: "For an outgoing file: its instructions and the answer to each.",
    tag,
    access: "read",
    schema: {
      params: IdInPath,
      query: EntriesQuery,
      response: { 200: Entries },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id, direction } = await requireFile(deps, { tenant, id: call.params.id });
      const { after = 0, result = null } = call.query;
      const list = direction === "out" ? listInstructions : listReportLines;
      const found = await list(deps.db, tenant, id, { after, limit: ENTRIES_MAX, result });
      const next = found.length === ENTRIES_MAX ? (found.at(-1)?.number ?? null) : null;
      return { status: 200, body: { next, results: found } };
    },
  });
}

function uploadRoutes(router: Router, deps: Deps): void {
  router.add("GET", `${FILES}{id}/content/`, {
    summary: "Download a SEPA file",
    description:
      "The unchanged file. After you have given it to the bank by hand, call `mark-sent`. The audit log records who downloaded it. A file that must not go to the bank is refused with 409 and the reason: it waits for approval, its date has passed, it contains a refund of a returned debit, it was withdrawn, or one of the bank's files is being read, which may be about it (then try again).",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: Type.String() } },
    otherFormats: { "application/xml": "The file as sent to the bank, or as received from it." },
    handle: (call) => contentAnswer(deps, commandOf(call, call.params.id)),
  });

  router.add("POST", FILES, {
    summary: "Upload a bank's file",
    description:
      "The file is read at once and the answer reports the result. Payments are updated in the background: `following` counts those that remain. Uploading the same file again changes nothing. Each file of a ZIP is read on its own.",
    tag,
    access: "bank",
    body: "upload",
    bodyLimit: BANK_FILE_BYTES_MAX,
    schema: { body: UploadForm, response: { 201: FileDelivery } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { fields, file } = await openUpload(call);
      try {
        const account = await accountOf(deps, tenant, fields.get("gateway_id") ?? "");
        if (file === null || account === null) {
          throw new FieldErrors({
            ...(account === null ? { gateway_id: ["Must be a sepa_batch gateway."] } : {}),
            ...(file === null ? { file: ["This field is required."] } : {}),
          });
        }
        const read = await readDelivery(deps, account, file.name === "" ? "file" : file.name, file.bytes);
        startApplyingNews(deps, tenant);
        const files = read.map(({ file: one, known }) => ({ ...timesAsText(one), known }));
        return { status: 201, body: { files } };
      } finally {
        file?.bytes.resume();
      }
    },
  });

  router.add("POST", `${FILES}{id}/approve/`, {
    summary: "Approve a file before it goes to the bank",
    description:
      "With `approvals_required` of the gateway a file is `to_approve` until so many different people have approved it; all API keys count as one. Then it is sent, or `ready` to be carried by hand. 409 if it does not wait for approval, if you have approved it before, or if its day has passed. To refuse it, withdraw it.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: FileRecord } },
    handle: async (call) => shown(await approveFile(deps, commandOf(call, call.params.id))),
  });

  router.add("POST", `${FILES}{id}/mark-sent/`, {
    summary: "Mark a file as given to the bank by hand",
    description:
      "A `ready` file becomes `sent`. A file that is already sent stays unchanged. While one of the bank's files is read, which may be about it, a file is refused with 409: try again.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: FileRecord } },
    handle: async (call) => shown(await markFileSent(deps, commandOf(call, call.params.id))),
  });

  router.add("POST", `${FILES}{id}/withdraw/`, {
    summary: "Withdraw a file that was not given to the bank",
    description:
      "Its instructions go into the next file. Only for a file that has not left (`to_approve`, `ready`, `stored`, `uploading`): withdrawing a file that the bank has collects it twice.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: FileRecord } },
    handle: async (call) => shown(await withdrawFile(deps, commandOf(call, call.params.id))),
  });

  router.add("POST", `${FILES}{id}/confirm/`, {
    summary: "Confirm whether an unclear file reached the bank",
    description:
      "`arrived: false` sends it again. Ask the bank first: a file that is sent twice is collected twice. Give the `attempts` that the file had when you asked: the answer for one upload is then not taken for a later one.",
    tag,
    access: "bank",
    schema: {
      params: IdInPath,
      body: ConfirmBody,
      response: { 200: FileRecord },
    },
    handle: async (call) => {
      const { arrived, attempts = null } = call.body;
      return shown(await confirmFile(deps, commandOf(call, call.params.id), { arrived, attempts }));
    },
  });
}

/** The filters of a query. */
export function fileFilters(
  query: Omit<Static<typeof FileQuery>, "page_size" | "cursor">,
  now: Date,
): Parameters<typeof listFiles>[2] {
  const { direction = null, status = null, gateway_id: gatewayId = null, overdue } = query;
  const { held = null, not_taken: notTaken = null } = query;
  const unansweredSince = overdue === undefined ? null : addTargetDays(utcDate(now), -overdue);
  return { direction, status, gatewayId, held, notTaken, unansweredSince };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = { zip: "application/zip", PTK: "text/plain" };

/** The unchanged file, for the person who carries it. */
export async function contentAnswer(
  deps: Parameters<typeof downloadFile>[0],
  command: FileCommand,
): Promise<Answer> {
  const { name, kind, bytes } = await downloadFile(deps, command);
  const headers = {
    "Content-Type": CONTENT_TYPES[kind] ?? "application/xml",
    ...attachmentHeader(name),
  };
  return { status: 200, body: bytes, headers };
}

function commandOf(call: Call<EndpointSchema>, id: string): FileCommand {
  return { tenant: tenantOf(call), id, operationId: call.operationId, author: call };
}

function shown(file: ShownFile) {
  return { status: 200, body: timesAsText(file) };
}

async function accountOf(
  deps: Pick<Deps, "db">,
  tenant: number,
  gatewayId: string,
): Promise<AccountRow | null> {
  if (!isUuid(gatewayId)) return null;
  return (await findAccounts(deps.db, tenant, gatewayId))[0] ?? null;
}
