/**
 * The pages shared by records of the management API: a list, a form for a new record, and a record's page with its
 * form. Pure.
 */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { StoredRow } from "../../management/resource-store.ts";
import { csrfField } from "../csrf.ts";
import { callout, dialog, facts, heading, panel, toast } from "../design/blocks.ts";
import { formActs } from "../design/fields.ts";
import { archivedFilter } from "../design/filters.ts";
import { table, type Column } from "../design/table.ts";
import { badge, copyableReference, time } from "../design/values.ts";
import { listPage, type ListPage } from "../pages/list.ts";
import { seenField } from "../seen.ts";
import type { Words } from "../words.ts";
import { recordFields, type FormState } from "./form.ts";

/** The labels of a kind of record, and its list. */
export interface RecordLook<Row> {
  readonly path: string;
  readonly title: string;
  /** The label of the button that creates one. */
  readonly newOne: string;
  readonly none: readonly [title: string, hint: string];
  readonly tabs: Html;
  readonly columns: readonly Column[];
  /** The cells of a row after its name, which links to it. */
  cells(row: Row): readonly (Html | string)[];
  /** Whether the record is working: the last column, and next to the heading of its page. */
  readonly state?: (row: Row) => Html;
}

export function recordsPage<Row extends StoredRow & { readonly name: string }>(
  page: ListPage<Row> & { readonly mayWrite: boolean },
  look: RecordLook<Row>,
): Html {
  const { words, rows, mayWrite } = page;
  const { path, title, none, tabs, columns, newOne, state } = look;
  return listPage(page, {
    path,
    title,
    none,
    tabs,
    acts: mayWrite ? [html`<a class="button main" href="${path}?act=new">${newOne}</a>`] : [],
    filters: (query) => [archivedFilter(words, query)],
    table: () =>
      table(
        title,
        [{ title: words.say("name") }, ...columns, ...(state ? [{ title: words.say("status") }] : [])],
        rows.map((row) => [
          html`<a class="row" href="${path}${row.id}/">${row.name}</a>
            ${row.archived_at !== null && badge("waiting", words.say("archived"))}`,
          ...look.cells(row),
          ...(state ? [state(row)] : []),
        ]),
      ),
  });
}

interface FormPage {
  readonly words: Words;
  readonly csrf: string;
  readonly state: FormState;
  /** An error about the record as a whole. */
  readonly problem: string | null;
}

export function newRecordPage<Row>(page: FormPage & { readonly before?: Html }, look: RecordLook<Row>): Html {
  const { words, before = NOTHING } = page;
  const back = html`<a class="button" href="${look.path}">${words.say("cancel")}</a>`;
  return html`${heading(look.newOne)} ${look.tabs}
    <section class="panel narrow">
      <div class="in">${before}${recordForm(page, look.path, words.say("create"), back)}</div>
    </section>`;
}

interface RecordPage<Row> extends FormPage {
  readonly row: Row;
  readonly now: Date;
  readonly mayWrite: boolean;
  /** The record's values, for people who may not change them. */
  readonly shown: readonly (readonly [name: string, value: Html | string | null])[];
  /** Parts above both columns, above the form, and next to the form. */
  readonly wide: readonly Html[];
  readonly main: readonly Html[];
  readonly extras: readonly Html[];
  readonly acts: readonly Html[];
  readonly archiving: boolean;
  /** Another open dialog. */
  readonly over: Html | null;
  readonly done: string | null;
}

export function recordPage<Row extends StoredRow & { readonly name: string }>(
  page: RecordPage<Row>,
  look: RecordLook<Row>,
): Html {
  const { words, row, now, mayWrite, shown, wide, main, extras, acts, archiving, over, done } = page;
  const path = `${look.path}${row.id}/`;
  const open = mayWrite && row.archived_at === null;
  const archive = html`<a class="button" href="${path}?act=archive">${words.say("archive")}</a>`;
  return html`${heading(row.name, {
      after:
        row.archived_at === null ? (look.state?.(row) ?? NOTHING) : badge("waiting", words.say("archived")),
      acts: open ? [...acts, archive] : [],
    })}
    ${look.tabs}
    <div class="stack">
      ${wide}
      <div class="split">
        <div class="stack">
          ${main}
          ${
            open
              ? panel(
                  words.say("settings"),
                  html`<div class="in">
                    ${recordForm(page, path, words.say("save"), NOTHING, row.updated_at)}
                  </div>`,
                )
              : panel(words.say("settings"), facts(shown))
          }
        </div>
        <div class="stack">
          ${extras}
          ${panel(
            words.say("facts"),
            facts([
              [words.say("created"), time(words, row.created_at, now)],
              [words.say("changed"), time(words, row.updated_at, now)],
              ["ID", copyableReference(words, row.id)],
            ]),
          )}
        </div>
      </div>
    </div>
    ${done !== null && toast(done)} ${over ?? NOTHING}
    ${open && archiving ? archiveDialog(page, path) : NOTHING}`;
}

/**
 * A record's form.
 * @param seen when the record was last changed, so that the form does not overwrite another person's change.
 */
function recordForm(
  { words, csrf, state, problem }: FormPage,
  action: string,
  label: string,
  after: Html,
  seen: Date | null = null,
): Html {
  return html`${problem !== null && callout("bad", problem)}
    <form method="post" action="${action}" class="wide">
      ${csrfField(csrf)} ${seen !== null && seenField(seen)} ${recordFields(words, state)}
      ${formActs(label, "main", after)}
    </form>`;
}

function archiveDialog<Row extends { readonly name: string }>(
  { words, csrf, row }: RecordPage<Row>,
  path: string,
): Html {
  return dialog(
    `${words.say("archive")}: ${row.name}`,
    html`<p>${words.say("archiveWhat")}</p>
      <form method="post" action="${path}archive/">
        ${csrfField(csrf)}
        ${formActs(words.say("archive"), "bad", html`<a class="button" href="${path}" data-close>${words.say("cancel")}</a>`)}
      </form>`,
  );
}
