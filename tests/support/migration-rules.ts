/** What a migration must not do while the service runs: lock a table for long, or break the last release's code. */
import { loadModule, parseSync } from "libpg-query";
import type { Migration } from "../../src/db/migrations.ts";
import type { Json } from "./service.ts";

await loadModule();

/** Tables with few rows per tenant, so that reading or updating all of them is quick. */
const SMALL = new Set([
  "api_keys",
  "banks",
  "campaigns",
  "gateways",
  "hosted_pages",
  "integrations",
  "offers",
  "payment_links",
  "schema_migrations",
  "sepa_accounts",
  "sepa_creditor_accounts",
  "tenant_clocks",
  "tenants",
  "webhook_profiles",
  "webhook_receivers",
]);

/** The rules, each with the advice for a migration that breaks it. */
const ADVICE = {
  "drop-or-rename": "the last release uses it: remove it a release after the one that stops to",
  "change-type": "add a column, write both, and drop the old one a release later",
  "not-null":
    "the last release does not write it: give it a default, or leave it null until the next release",
  "new-rule": "the last release may write rows that break it: add it when that release is gone",
  "lock-to-scan":
    "the table is locked while it is read: add it `not valid`, and validate it in a migration of its own",
  "lock-to-index": "writes wait for it: `-- runs: concurrently`",
  "lock-to-write": "what it has changed stays locked until its end: `-- runs: in batches`",
  "lock-to-rewrite": "the table is locked while it is written anew: add the column, fill it in batches",
  unknown: "what it locks is not known here",
} as const;

export type Rule = keyof typeof ADVICE;

/** Allows a break of the named rule; a reason is required. */
const ALLOWED = /^-- allowed: ([a-z-]+): \S.{10,}$/gm;

/** The rules that a migration breaks without giving a reason, each with the advice. */
export function brokenRules(migration: Migration): readonly string[] {
  const allowed = new Set([...migration.text.matchAll(ALLOWED)].map(([, rule]) => rule));
  const found = rulesBroken(migration.text, migration.runs);
  return [...new Set(found)]
    .filter(({ rule }) => !allowed.has(rule))
    .map(({ rule, what }) => `${migration.name}: ${what}: ${rule}: ${ADVICE[rule]}`);
}

interface Found {
  readonly rule: Rule;
  readonly what: string;
}

interface Context {
  /** Tables that this migration creates, which nothing uses yet. */
  readonly made: ReadonlySet<string>;
  readonly runs: Migration["runs"];
}

export function rulesBroken(text: string, runs: Migration["runs"] = "in a transaction"): readonly Found[] {
  const statements: Json[] = (parseSync(text).stmts ?? []).map(({ stmt }: Json) => stmt);
  const made = new Set(statements.flatMap((one) => one["CreateStmt"]?.relation.relname ?? []));
  return statements.flatMap((one) => ofStatement(one, { made, runs }));
}

/** Statements that neither lock a table for long nor affect older code. */
const HARMLESS = new Set(["CreateStmt", "CommentStmt", "CreateFunctionStmt", "ViewStmt", "GrantStmt"]);

function ofStatement(statement: Json, context: Context): readonly Found[] {
  const [[kind, node]] = Object.entries(statement) as [[string, Json]];
  if (HARMLESS.has(kind)) return [];
  if (kind === "AlterTableStmt") return ofTable(node, context);
  if (kind === "IndexStmt") return ofIndex(node, context);
  if (kind === "DropStmt" || kind === "RenameStmt") {
    return isMade(node, context) ? [] : [{ rule: "drop-or-rename", what: kind }];
  }
  if (["InsertStmt", "UpdateStmt", "DeleteStmt"].includes(kind)) return ofWrite(kind, node, context);
  if (kind === "CreateTrigStmt" && isMade(node, context)) return [];
  return [{ rule: kind === "CreateTrigStmt" ? "new-rule" : "unknown", what: kind }];
}

function isMade({ relation }: Json, { made }: Context): boolean {
  return made.has(relation?.relname);
}

function isSmall(node: Json, context: Context): boolean {
  return SMALL.has(node["relation"]?.relname) || isMade(node, context);
}

function ofWrite(kind: string, node: Json, context: Context): readonly Found[] {
  const bounded = context.runs === "in batches" || isSmall(node, context);
  // Inserts a few rows of constants.
  const constants = kind === "InsertStmt" && node["selectStmt"]?.SelectStmt.valuesLists !== undefined;
  return bounded || constants
    ? []
    : [{ rule: "lock-to-write", what: `${kind} of ${node["relation"].relname}` }];
}

function ofIndex(node: Json, context: Context): readonly Found[] {
  if (isMade(node, context)) return [];
  const what = `index ${node["idxname"]}`;
  const found: Found[] = [];
  if (node["concurrent"] !== true && !isSmall(node, context)) found.push({ rule: "lock-to-index", what });
  if (node["unique"] === true) found.push({ rule: "new-rule", what });
  return found;
}

function ofTable(node: Json, context: Context): readonly Found[] {
  if (node["objtype"] !== "OBJECT_TABLE" || isMade(node, context)) return [];
  const commands: Json[] = node["cmds"].map((one: Json) => one["AlterTableCmd"]);
  const added = new Set(
    commands.flatMap(({ subtype, def }) => (subtype === "AT_AddColumn" ? def.ColumnDef.colname : [])),
  );
  const replaced = new Set(
    commands.flatMap(({ subtype, name }) => (subtype === "AT_DropConstraint" ? name : [])),
  );
  const table: string = node["relation"].relname;
  return commands.flatMap((command) =>
    ofCommand(command, { added, replaced, isSmall: isSmall(node, context) }).map((rule) => ({
      rule,
      what: `${command["subtype"]} of ${table}`,
    })),
  );
}

interface Table {
  /** Columns that this statement adds. */
  readonly added: ReadonlySet<string>;
  /** Constraints that it drops. */
  readonly replaced: ReadonlySet<string>;
  readonly isSmall: boolean;
}

function ofCommand({ subtype, def }: Json, table: Table): readonly Rule[] {
  switch (subtype) {
    case "AT_AddColumn":
      return ofColumn(def.ColumnDef, table);
    case "AT_AddConstraint":
      return ofConstraint(def.Constraint, table);
    case "AT_DropColumn":
      return ["drop-or-rename"];
    case "AT_DropConstraint":
      // A wider check with the same name, or a removed rule, lets older code's writes pass.
      return [];
    case "AT_AlterColumnType":
      return ["change-type"];
    case "AT_SetNotNull":
      return table.isSmall ? ["not-null"] : ["not-null", "lock-to-scan"];
    case "AT_ColumnDefault":
      // Without a default, older code that omits the column stores null.
      return def === undefined ? ["not-null"] : [];
    case "AT_ValidateConstraint":
    case "AT_DropNotNull":
    case "AT_SetStatistics":
    case "AT_SetStorage":
    case "AT_SetRelOptions":
      return [];
    default:
      return ["unknown"];
  }
}

/** Functions whose value is the same for all rows. */
const STABLE = new Set(["now", "statement_timestamp", "transaction_timestamp"]);

function ofColumn({ constraints = [] }: Json, table: Table): readonly Rule[] {
  const all: Json[] = constraints.map((one: Json) => one["Constraint"]);
  const of = (type: string) => all.find(({ contype }) => contype === type);
  const value = of("CONSTR_DEFAULT")?.["raw_expr"];
  const rules: Rule[] = [];
  const filled = of("CONSTR_IDENTITY") ?? of("CONSTR_GENERATED");
  if (of("CONSTR_NOTNULL") !== undefined && value === undefined && filled === undefined)
    rules.push("not-null");
  const varies = functionsIn(value).some((name) => !STABLE.has(name));
  if ((varies || filled !== undefined) && !table.isSmall) rules.push("lock-to-rewrite");
  if (all.some(({ contype }) => ["CONSTR_UNIQUE", "CONSTR_PRIMARY"].includes(contype)) && !table.isSmall)
    rules.push("lock-to-index");
  // The foreign key of a new column without values is validated at once; a check reads every row.
  if (of("CONSTR_CHECK") !== undefined && !table.isSmall) rules.push("lock-to-scan");
  return rules;
}

function ofConstraint(constraint: Json, { added, replaced, isSmall }: Table): readonly Rule[] {
  const rules: Rule[] = [];
  const columns = columnsOf(constraint);
  const isOfNew = columns.some((column) => added.has(column));
  if (!isOfNew && !replaced.has(constraint["conname"])) rules.push("new-rule");
  const isIndex = ["CONSTR_UNIQUE", "CONSTR_PRIMARY", "CONSTR_EXCLUSION"].includes(constraint["contype"]);
  if (isIndex && constraint["indexname"] === undefined && !isSmall) rules.push("lock-to-index");
  if (!isIndex && constraint["skip_validation"] !== true && !isSmall) rules.push("lock-to-scan");
  return rules;
}

function columnsOf({ keys = [], fk_attrs: foreign = [], raw_expr: check }: Json): readonly string[] {
  const names = [...keys, ...foreign].map((one: Json) => one["String"].sval as string);
  return [...names, ...columnRefs(check)];
}

function columnRefs(node: unknown): readonly string[] {
  return nodes(node, "ColumnRef").flatMap(({ fields }) => fields.at(-1).String?.sval ?? []);
}

function functionsIn(node: unknown): readonly string[] {
  return nodes(node, "FuncCall").map(({ funcname }) => funcname.at(-1).String.sval as string);
}

/** All nodes of a kind, at any depth. */
function nodes(node: unknown, kind: string): readonly Json[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === kind ? [value as Json] : []),
    ...nodes(value, kind),
  ]);
}
