/** The routes shared by records of the management API in the console. They use the API's functions. */
import type { Deps } from "../../deps.ts";
import type { Html } from "../../files/html.ts";
import type { Answer } from "../../http/endpoint.ts";
import { bodyCheck } from "../../http/validation.ts";
import type { TSchema } from "../../lib/schema.ts";
import type { Action } from "../../people/access.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { ListQuery } from "../../management/resource-routes.ts";
import {
  archiveRecord,
  createRecord,
  patchRecord,
  readRecord,
  type Target,
} from "../../management/resource-write.ts";
import type { RecordDeps, RecordKind } from "../../management/resource.ts";
import type { StoredRow } from "../../management/resource-store.ts";
import { seeOther } from "../answer.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyQuery, AnyIdInPath, readListPage, response } from "../pages/listed.ts";
import { listQueryOf } from "../pages/list-query.ts";
import type { Option } from "../design/fields.ts";
import { faultWords, refusedWords } from "../refused.ts";
import { seenIn } from "../seen.ts";
import type { Words } from "../words.ts";
import { fieldsOf } from "./fields.ts";
import type { FormState } from "./form.ts";
import { asForm, givenBy, isWriteOnly, messagesByField } from "./given.ts";
import { fieldName, valueName } from "./names.ts";
import { newRecordPage, recordPage, recordsPage, type RecordLook } from "./record-pages.ts";

export type RecordCall = Pick<
  ConsoleCall<{ readonly response: typeof response }>,
  "person" | "words" | "csrf" | "may" | "page" | "caller" | "clientIp" | "requestId" | "operationId"
>;

/** A kind of record in the console. */
interface RecordSection<Row extends StoredRow, Fields extends object> {
  readonly kind: RecordKind<Row, Fields>;
  readonly path: string;
  readonly read: Action;
  readonly write: Action;
  /**
   * The record's labels.
   * @param rows the displayed records: a page of the list, or one.
   */
  look(
    call: Pick<RecordCall, "words" | "person">,
    rows: readonly Row[],
  ): Omit<RecordLook<Row>, "path"> | Promise<Omit<RecordLook<Row>, "path">>;
  /** The options of fields whose schema has no values. */
  options?(
    call: RecordCall,
    values: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, readonly Option[]>>>;
  /** Fields of a new record that start empty, whatever the API's default is: the person must choose. */
  readonly chosen?: readonly string[];
  /** The schema of a form, if it depends on the record, or on the query of a new record. */
  schema?(values: Readonly<Record<string, unknown>>): TSchema;
  /** Content above the form of a new record. */
  before?(call: RecordCall, values: Readonly<Record<string, string>>): Html;
  /** Content next to a record, and its actions. */
  extras?(call: RecordCall, row: Row, query: Readonly<Record<string, string>>): Promise<Extras>;
  /** What the form of a record has given, with what it does not show and the record keeps. */
  withKept?(call: RecordCall, given: Fields, row: Row): Fields;
  /** Creates a record, in place of the default. */
  create?(call: RecordCall, target: Target, given: Fields): Promise<Answer>;
  /** The response after the creation, which shows the secret. */
  created?(call: RecordCall, row: Row): Promise<Answer> | null;
}

interface Extras {
  /** Content above both columns. */
  readonly wide?: readonly Html[];
  /** Content above the form. */
  readonly main?: readonly Html[];
  readonly panels?: readonly Html[];
  readonly acts?: readonly Html[];
  /** Open dialogs. */
  readonly over?: Html;
  /** The action that has just been performed. */
  readonly done?: string | null;
}

const listQuery = listQueryOf(ListQuery);

/** Declares the list, the form of a new record, the page of a record, and the actions of these forms. */
export function recordSection<Row extends StoredRow & { readonly name: string }, Fields extends object>(
  console: ConsoleRouter,
  deps: Deps,
  section: RecordSection<Row, Fields>,
): void {
  const { kind, path, read, write } = section;
  const parts = { deps, section };

  console.get(path, read, {
    summary: `List ${kind.resource}`,
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { act, ...query } = call.query;
      if (act === "new" && call.may(write)) return showNew(parts, call, {}, query);
      const { tenant } = call.person;
      const given = listQuery(query);
      const page = await readListPage(deps, { tenant, path }, given, (window) =>
        kind.store.list(deps.db, tenant, given.usable["archived"] === "true", window),
      );
      const look = await lookOf(section, call, page.rows);
      const shown = { words: call.words, now: deps.clock.now(), given, mayWrite: call.may(write), ...page };
      return call.page(look.title, recordsPage(shown, look), { headed: true });
    },
  });

  console.post(path, write, {
    summary: `Create ${kind.noun}`,
    schema: { body: AnyForm, response },
    async handle(call) {
      const target = { ...personTarget(call, call.operationId), operationId: call.operationId };
      try {
        const given = checked(kind.schemas.create, typedIn(section, call.body, call.body));
        if (section.create !== undefined) return await section.create(call, target, given);
        const row = await createRecord(deps, kind, target, given);
        return (await section.created?.(call, row)) ?? seeOther(`${path}${row.id}/?done=create`);
      } catch (error) {
        return showNew(parts, call, formErrorsOf(call.words, error), call.body);
      }
    },
  });

  console.get(`${path}{id}/`, read, {
    summary: `Show ${kind.noun}`,
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    async handle(call) {
      const row = await readRecord(deps, kind, call.person.tenant, call.params.id);
      return showOne(parts, call, row, { query: call.query });
    },
  });

  console.post(`${path}{id}/`, write, {
    summary: `Change ${kind.noun}`,
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const row = await readRecord(deps, kind, call.person.tenant, call.params.id);
      try {
        const typed = typedIn(section, call.body, valuesOf(kind, row));
        const given = checked(kind.schemas.patch, section.withKept?.(call, typed, row) ?? typed);
        const target = personTarget(call, row.id);
        await patchRecord(deps, kind, target, given, seenIn(call.body));
      } catch (error) {
        return showOne(parts, call, row, { query: {}, typed: call.body, ...formErrorsOf(call.words, error) });
      }
      return seeOther(`${path}${row.id}/?done=save`);
    },
  });

  console.post(`${path}{id}/archive/`, write, {
    summary: `Archive ${kind.noun}`,
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const target = personTarget(call, call.params.id);
      await archiveRecord(deps, kind, target);
      return seeOther(`${path}${target.id}/?done=archive`);
    },
  });
}

/** The record with this id, changed on behalf of the person. */
export function personTarget({ person, ...author }: RecordCall, id: string): Target {
  return { tenant: person.tenant, id: id.toLowerCase(), author, operationId: author.operationId };
}

interface Parts<Row extends StoredRow, Fields extends object> {
  readonly deps: RecordDeps;
  readonly section: RecordSection<Row, Fields>;
}

export interface FormErrors {
  readonly faults?: Readonly<Record<string, string>>;
  readonly problem?: string | null;
}

/**
 * The errors of a form, by field and as a whole.
 * @throws any other error.
 */
export function formErrorsOf(words: Words, error: unknown): FormErrors {
  if (error instanceof FieldErrors) {
    const faults = messagesByField(error.fields);
    const { non_field_errors: problem = null } = faults;
    return { faults, problem: problem === null ? null : faultWords(words, problem) };
  }
  if (error instanceof Refusal && error.status === 409) return { problem: refusedWords(words, error) };
  throw error;
}

async function lookOf<Row extends StoredRow, Fields extends object>(
  section: RecordSection<Row, Fields>,
  call: Pick<RecordCall, "words" | "person">,
  rows: readonly Row[],
): Promise<RecordLook<Row>> {
  return { ...(await section.look(call, rows)), path: section.path };
}

/**
 * A form's values.
 * @param values the record's, or those of the form itself.
 * @throws FieldErrors for invalid JSON.
 */
function typedIn<Row extends StoredRow, Fields extends object>(
  section: RecordSection<Row, Fields>,
  form: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>>,
): Fields {
  return givenBy(formFields(section, values), form) as Fields;
}

/** Validates by the rules of the API. @throws FieldErrors. */
function checked<Fields extends object>(schema: TSchema, given: Fields): Fields {
  const wrong = bodyCheck(schema)(given);
  if (wrong !== null) throw wrong;
  return given;
}

function formFields<Row extends StoredRow, Fields extends object>(
  section: RecordSection<Row, Fields>,
  values: Readonly<Record<string, unknown>>,
): FormState["fields"] {
  const { create, record } = section.kind.schemas;
  return fieldsOf(section.schema?.(values) ?? create, record);
}

function valuesOf<Row extends StoredRow, Fields extends object>(
  kind: RecordKind<Row, Fields>,
  row: Row,
): Readonly<Record<string, unknown>> {
  return kind.render(row) as Readonly<Record<string, unknown>>;
}

async function showNew<Row extends StoredRow, Fields extends object>(
  { deps, section }: Parts<Row, Fields>,
  call: RecordCall,
  { faults = {}, problem = null }: FormErrors,
  typed: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { kind } = section;
  const look = await lookOf(section, call, []);
  const fields = formFields(section, typed);
  const isFirst = Object.keys(faults).length === 0 && problem === null;
  const blank = { deps, tenant: call.person.tenant, id: call.operationId };
  const untouched = fields.filter(({ name }) => section.chosen?.includes(name) !== true);
  const defaults = asForm(untouched, kind.defaults(blank));
  const body = newRecordPage(
    {
      words: call.words,
      csrf: call.csrf,
      problem,
      state: {
        fields,
        typed: isFirst ? { ...defaults, ...typed } : typed,
        faults,
        options: (await section.options?.(call, typed)) ?? {},
      },
      ...(section.before === undefined ? {} : { before: section.before(call, typed) }),
    },
    look,
  );
  return call.page(look.newOne, body, { headed: true, status: isFirst ? 200 : 422 });
}

interface Shown extends FormErrors {
  readonly query: Readonly<Record<string, string>>;
  readonly typed?: Readonly<Record<string, string>>;
}

async function showOne<Row extends StoredRow & { readonly name: string }, Fields extends object>(
  { deps, section }: Parts<Row, Fields>,
  call: RecordCall,
  row: Row,
  { query, typed, faults = {}, problem = null }: Shown,
): Promise<Answer> {
  const { kind, write } = section;
  const { words } = call;
  const values = valuesOf(kind, row);
  const fields = formFields(section, values);
  const own = asForm(fields, values);
  const options = (await section.options?.(call, values)) ?? {};
  const {
    wide = [],
    main = [],
    panels = [],
    acts = [],
    over = null,
    done = null,
  } = (await section.extras?.(call, row, query)) ?? {};
  const body = recordPage(
    {
      words,
      csrf: call.csrf,
      row,
      now: deps.clock.now(),
      mayWrite: call.may(write),
      problem,
      state: { fields, typed: typed ?? own, faults, options },
      shown: shownFacts(words, fields, own, options),
      wide,
      main,
      extras: panels,
      acts,
      archiving: query["act"] === "archive",
      over,
      done: done ?? doneOf(words, query["done"]),
    },
    await lookOf(section, call, [row]),
  );
  const status = problem === null && Object.keys(faults).length === 0 ? 200 : 422;
  return call.page(row.name, body, { headed: true, status });
}

function doneOf(words: Words, done: string | undefined): string | null {
  if (done === "create") return words.say("createDone");
  if (done === "archive") return words.say("archiveDone");
  return done === "save" ? words.say("saveDone") : null;
}

/** The fields that are set, for people who may not change the record. */
export function shownFacts(
  words: Words,
  fields: FormState["fields"],
  own: Readonly<Record<string, string>>,
  options: FormState["options"],
): readonly (readonly [string, string | null])[] {
  return fields
    .filter((field) => !isWriteOnly(field))
    .map((field) => [fieldName(words, field.name), shownValue(words, field, own, options)]);
}

function shownValue(
  words: Words,
  { name, kind, values }: FormState["fields"][number],
  own: Readonly<Record<string, string>>,
  options: FormState["options"],
): string | null {
  if (kind === "yes") return words.say(own[name] === undefined ? "no" : "yes");
  if (kind === "some") {
    const chosen = values.filter((value) => `${name}:${value}` in own);
    return chosen.length === 0 ? null : chosen.map((value) => valueName(words, value)).join(", ");
  }
  const text = own[name];
  if (text === undefined || text === "" || text === "{}") return null;
  if (kind === "country") return words.country(text);
  if (kind === "language") return words.languageOf(text);
  return (
    options[name]?.find(([value]) => value === text)?.[1] ?? (kind === "one" ? valueName(words, text) : text)
  );
}
