/** `management/mandates/import/` and `export/`: moving mandates from and to another provider. */
import { Type, type Static } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { requireScope, attachmentHeader, tenantOf, type Answer, type Router } from "../../http/endpoint.ts";
import { nullable, oneOf } from "../../http/fields.ts";
import { nextHeaders, PAGE_QUERY, pageOf, pageSchema, type Page } from "../../http/paging.ts";
import { openUpload, type Upload } from "../../http/upload.ts";
import { utcDate } from "../../lib/dates.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import { MANAGEMENT } from "../../management/resource-routes.ts";
import { DATE_FORMATS, type DateFormat } from "../../files/cells.ts";
import { FieldErrors } from "../../refusals.ts";
import { COLUMNS } from "./columns.ts";
import { exported, inOrder, mandatesCsv, type ExportedMandate } from "./export.ts";
import { IMPORT_BYTES_MAX, REJECTIONS_KEPT } from "../../files/import-rows.ts";
import { importMandates, type ImportInput } from "./import.ts";
import { exportedMandates } from "./store.ts";

const PATH = `${MANAGEMENT}mandates/`;
const tag = "Mandates";
const FORMATS = ["csv", "json"] as const;
/** A mandate with a payment in progress, or rejected by its bank, is not exported. */
const MOVABLE = ["active", "cancelled", "expired"] as const;

const Form = Type.Object(
  {
    format: Type.Optional(
      Type.Enum([...FORMATS], { description: "Default: json for a file named .json, else csv." }),
    ),
    date_format: Type.Optional(
      Type.Enum([...DATE_FORMATS], { description: "For dates such as 01/02/2026: dmy or mdy." }),
    ),
    dry_run: Type.Optional(
      Type.Enum(["true", "false"], { description: "true validates the file and writes nothing." }),
    ),
    file: Type.String({
      description: `The file, after the fields. Columns: ${COLUMNS.join(", ")}.`,
      contentMediaType: "text/csv",
    }),
  },
  { $id: "MandateImportForm" },
);
const Report = Type.Object(
  {
    lines: Type.Integer(),
    created: Type.Integer(),
    duplicate: Type.Integer(),
    rejected: Type.Integer(),
    rejections: Type.Array(Type.Object({ line: Type.Integer(), reasons: Type.Array(Type.String()) }), {
      description: `The first ${REJECTIONS_KEPT}.`,
    }),
    error: nullable(Type.String({ description: "The error if the whole file was rejected." })),
  },
  { $id: "MandateImport" },
);
const ExportQuery = Type.Object({
  ...PAGE_QUERY,
  format: Type.Optional(oneOf(FORMATS, { description: "Default csv." })),
  include_iban: Type.Optional(
    Type.Boolean({
      description: "true returns whole IBANs to a key with the scope whole_ibans; the audit log records it.",
    }),
  ),
  status: Type.Optional(oneOf(MOVABLE)),
});
type ExportQuery = Static<typeof ExportQuery>;
const Value = nullable(Type.String());
const Exported = Type.Object(
  {
    ...Object.fromEntries(COLUMNS.map((column) => [column, Value])),
    pre_notification_days: nullable(Type.Integer()),
    same_bank: nullable(Type.Boolean()),
  },
  { $id: "ExportedMandate" },
);

/** Declares the endpoints on the router. */
export function mandateFileRoutes(router: Router, deps: Deps): void {
  importRoute(router, deps);
  exportRoute(router, deps);
}

function importRoute(router: Router, deps: Deps): void {
  router.add("POST", `${PATH}import/`, {
    summary: "Import mandates signed elsewhere",
    description:
      "Responds when the whole file has been read. Importing a file again creates nothing. Idempotency-Key is not supported.",
    tag,
    access: "billing",
    body: "upload",
    bodyLimit: IMPORT_BYTES_MAX,
    schema: { body: Form, response: { 201: Report, 422: Report } },
    async handle(call) {
      const upload = await openUpload(call);
      try {
        const input = {
          ...optionsOf(upload),
          tenant: tenantOf(call),
          operationId: call.operationId,
          author: call,
        };
        const report = await importMandates(deps, input);
        return { status: report.error === null ? 201 : 422, body: report };
      } finally {
        upload.file?.bytes.resume();
      }
    },
  });
}

type Options = Pick<ImportInput, "format" | "dates" | "dryRun" | "file">;

/**
 * Reads the options.
 * @throws FieldErrors with every invalid field.
 */
function optionsOf({ fields, file }: Upload): Options {
  const wrong: Record<string, readonly string[]> = {};
  const named = file?.name.toLowerCase().endsWith(".json") === true ? "json" : "csv";
  const format = FORMATS.find((known) => known === (fields.get("format") ?? named)) ?? null;
  if (format === null) wrong["format"] = [`Must be one of ${FORMATS.join(", ")}.`];
  const dates: DateFormat | null = DATE_FORMATS.find((known) => known === fields.get("date_format")) ?? null;
  if (fields.has("date_format") && dates === null) {
    wrong["date_format"] = [`Must be one of ${DATE_FORMATS.join(", ")}.`];
  }
  const dry = fields.get("dry_run") ?? "false";
  if (dry !== "true" && dry !== "false") wrong["dry_run"] = ["Must be true or false."];
  if (file === null) wrong["file"] = ["Send the file, after the fields."];
  if (Object.keys(wrong).length > 0 || file === null || format === null) throw new FieldErrors(wrong);
  return { format, dates, dryRun: dry === "true", file };
}

function exportRoute(router: Router, deps: Deps): void {
  const path = `${PATH}export/`;
  router.add("GET", path, {
    summary: "Export mandates, newest first",
    description:
      "In pages, with the columns of the import. IBANs are masked unless include_iban is true. Follow `next` until it is null.",
    tag,
    access: "read",
    schema: { query: ExportQuery, response: { 200: pageSchema(Exported) } },
    otherFormats: {
      "text/csv": "A header row and the mandates of the page; the next page is in the response headers.",
    },
    answerHeaders: ["Content-Disposition", "Link", "X-Next-Cursor"],
    async handle(call) {
      if (call.query.include_iban === true) requireScope(call, "whole_ibans");
      const scope = { tenant: tenantOf(call), path, query: call.query };
      const page = await exportPage(deps, scope, { author: call, operationId: call.operationId });
      return answer(deps, call.query, page);
    },
  });
}

/** The page and, if it shows whole IBANs, the audit entry about who has seen them: both or neither. */
function exportPage(
  deps: Pick<Deps, "clock" | "db" | "keys" | "publicUrl">,
  scope: { readonly tenant: number; readonly path: string; readonly query: ExportQuery },
  { author, operationId }: { readonly author: Author; readonly operationId: string },
): Promise<Page<ExportedMandate>> {
  const { tenant, query } = scope;
  const whole = query.include_iban === true;
  const statuses = query.status === undefined ? MOVABLE : [query.status];
  return deps.db.transaction(async (tx) => {
    const page = await pageOf(
      deps,
      scope,
      (window) => exportedMandates(tx, tenant, statuses, window),
      ({ created_at: at, id }) => ({ at, id }),
    );
    if (whole) {
      await writeEntry(tx, author, {
        tenant,
        id: operationId,
        at: deps.clock.now(),
        action: "export",
        resource: "mandate-exports",
        resourceId: operationId,
        before: null,
        after: { include_iban: true, status: query.status ?? null, mandates: page.results.length },
      });
    }
    return { ...page, results: page.results.map((row) => exported(deps, row, whole)) };
  });
}

function answer(
  deps: Pick<Deps, "clock">,
  { format }: ExportQuery,
  { results, ...links }: Page<ExportedMandate>,
): Answer {
  if (format === "json") return { status: 200, body: { ...links, results: results.map(inOrder) } };
  return {
    status: 200,
    headers: {
      ...nextHeaders(links.next),
      "content-type": "text/csv; charset=utf-8",
      ...attachmentHeader(`mandates_${utcDate(deps.clock.now())}.csv`),
    },
    body: mandatesCsv(results),
  };
}
