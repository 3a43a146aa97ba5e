/** `management/imports/`: a processor's files of transactions and chargebacks. */
import { Type } from "../../lib/schema.ts";
import type { ImportRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { NullableText, Time, Uuid } from "../../http/response-fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../../http/paging.ts";
import { timesAsText } from "../../http/times-as-text.ts";
import { openUpload, type Upload } from "../../http/upload.ts";
import { isUuid } from "../../lib/ids.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { importFile } from "./import-file.ts";
import type { ImportKind } from "./rows.ts";
import { IMPORT_BYTES_MAX, REJECTIONS_KEPT } from "../../files/import-rows.ts";
import { findImport, listImports, hasGateway } from "./store.ts";
import { DATE_FORMATS, type DateFormat, type ValueMapping } from "../../files/cells.ts";
import { problemsOfValues } from "./words.ts";

const PATH = `${MANAGEMENT}imports/`;
const tag = "Money after the payment";

const Form = Type.Object(
  {
    kind: Type.Enum(["transactions", "chargebacks"]),
    gateway_id: Uuid,
    mapping: Type.Optional(
      Type.String({
        description: 'JSON: our field to the column\'s name or number, such as {"amount": "Betrag"}.',
      }),
    ),
    value_mapping: Type.Optional(
      Type.String({
        description:
          'JSON: the processor\'s values of statuses and types, such as {"status": {"Genehmigt": "approved"}, "type": {"Lastschrift": "sdd_sale"}}.',
      }),
    ),
    date_format: Type.Optional(
      Type.Enum([...DATE_FORMATS], { description: "For dates such as 01/02/2026: dmy or mdy." }),
    ),
    dry_run: Type.Optional(
      Type.Enum(["true", "false"], { description: "true validates the file and writes nothing." }),
    ),
    file: Type.String({ description: "The CSV file, after the fields.", contentMediaType: "text/csv" }),
  },
  { $id: "ImportForm" },
);
const Count = Type.Integer();
const Import = Type.Object(
  {
    id: Uuid,
    kind: Type.String(),
    gateway_id: Uuid,
    file_name: Type.String(),
    file_sha256: NullableText,
    dry_run: Type.Boolean(),
    status: Type.String({ description: "running, done or failed" }),
    error: NullableText,
    lines: Count,
    created: Count,
    duplicate: Count,
    linked: Count,
    rejected: Count,
    rejections: Type.Array(Type.Object({ line: Type.Integer(), reasons: Type.Array(Type.String()) }), {
      description: `About the first ${REJECTIONS_KEPT}.`,
    }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "Import" },
);

/** Declares the endpoints on the router. */
export function importRoutes(router: Router, deps: Deps): void {
  router.add("POST", PATH, {
    summary: "Import a processor's CSV file",
    description:
      "Responds when the whole file has been read; GET shows the progress. Importing a file again writes only what is missing. Idempotency-Key is not supported.",
    tag,
    access: "refunds",
    body: "upload",
    bodyLimit: IMPORT_BYTES_MAX,
    schema: { body: Form, response: { 201: Import, 422: Import } },
    async handle(call) {
      const upload = await openUpload(call);
      const tenant = tenantOf(call);
      try {
        const { file, ...options } = await optionsOf(deps, tenant, upload);
        const row = await importFile(deps, { ...options, file, tenant, id: call.operationId, author: call });
        return { status: row.status === "failed" ? 422 : 201, body: shown(row) };
      } finally {
        upload.file?.bytes.resume();
      }
    },
  });

  router.add("GET", PATH, {
    summary: "List imports, newest first",
    tag,
    access: "read",
    schema: { query: Type.Object(PAGE_QUERY), response: { 200: pageSchema(Import) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listImports(deps.db, tenant, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(shown) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read an import and its report",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: Import } },
    async handle(call) {
      const { id } = call.params;
      const row = isUuid(id) ? await findImport(deps.db, tenantOf(call), id) : null;
      if (row === null) throw new Refusal("not_found");
      return { status: 200, body: shown(row) };
    },
  });
}

interface Options {
  readonly kind: ImportKind;
  readonly gatewayId: string;
  readonly mapping: Readonly<Record<string, string | number>>;
  readonly values: ValueMapping;
  readonly dates: DateFormat | null;
  readonly dryRun: boolean;
  readonly file: NonNullable<Upload["file"]>;
}

/**
 * Reads the options.
 * @throws FieldErrors with every invalid field.
 */
async function optionsOf(deps: Pick<Deps, "db">, tenant: number, { fields, file }: Upload): Promise<Options> {
  const wrong: Record<string, readonly string[]> = {};
  const kind = fields.get("kind") ?? "";
  if (kind !== "transactions" && kind !== "chargebacks")
    wrong["kind"] = ["Must be transactions or chargebacks."];
  const gatewayId = fields.get("gateway_id") ?? "";
  if (!isUuid(gatewayId) || !(await hasGateway(deps.db, tenant, gatewayId)))
    wrong["gateway_id"] = ["No such gateway."];
  const mapping = mappingOf(fields.get("mapping") ?? "{}");
  if (mapping === null) wrong["mapping"] = ['Must be a JSON object such as {"amount": "Betrag", "iban": 7}.'];
  const values = valuesOf(fields.get("value_mapping") ?? "{}");
  if (values === null)
    wrong["value_mapping"] = ['Must be a JSON object such as {"status": {"Genehmigt": "approved"}}.'];
  else if (kind === "transactions" || kind === "chargebacks") {
    const problems = problemsOfValues(kind, values);
    if (problems.length > 0) wrong["value_mapping"] = problems;
  }
  const dates = DATE_FORMATS.find((format) => format === fields.get("date_format")) ?? null;
  if (fields.has("date_format") && dates === null)
    wrong["date_format"] = [`Must be one of ${DATE_FORMATS.join(", ")}.`];
  const dry = fields.get("dry_run") ?? "false";
  if (dry !== "true" && dry !== "false") wrong["dry_run"] = ["Must be true or false."];
  if (file === null) wrong["file"] = ["Send the CSV file, after the fields."];
  if (Object.keys(wrong).length > 0 || file === null || mapping === null || values === null)
    throw new FieldErrors(wrong);
  return { kind: kind as ImportKind, gatewayId, mapping, values, dates, dryRun: dry === "true", file };
}

function valuesOf(text: string): ValueMapping | null {
  const all = objectOf(text);
  const usable = Object.values(all ?? { none: null }).every(
    (words) =>
      typeof words === "object" &&
      words !== null &&
      !Array.isArray(words) &&
      Object.values(words).every((word) => typeof word === "string"),
  );
  return usable ? (all as ValueMapping) : null;
}

function mappingOf(text: string): Readonly<Record<string, string | number>> | null {
  const mapping = objectOf(text);
  const columns = Object.values(mapping ?? { none: null });
  const usable = columns.every((column) => typeof column === "string" || Number.isSafeInteger(column));
  return usable ? (mapping as Record<string, string | number>) : null;
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const given: unknown = JSON.parse(text);
    const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
    return isObject ? (given as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function shown({ tenant: _tenant, ...row }: ImportRow): object {
  return timesAsText(row);
}
