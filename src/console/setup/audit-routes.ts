/** The audit log: who changed what, entry by entry, and whether the chain is intact. */
import type { AuditLogRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { html, type Html } from "../../files/html.ts";
import { isUuid } from "../../lib/ids.ts";
import { Type } from "../../lib/schema.ts";
import { isoDate } from "../../http/fields.ts";
import { PAGE_QUERY } from "../../http/paging.ts";
import { Refusal } from "../../refusals.ts";
import { verifyChain } from "../../management/audit/chain.ts";
import { AuditFilters } from "../../management/audit/routes.ts";
import { findEntry, listAuditEntries } from "../../management/audit/store.ts";
import { callout, facts, heading, panel } from "../design/blocks.ts";
import { input, select, type Option } from "../design/fields.ts";
import { addressWith, daysFilter, textFilter, type Filter, type Query } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { orNone, copyableReference, time } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyQuery, AnyIdInPath, readListPage, response } from "../pages/listed.ts";
import { listPage, type ListPage } from "../pages/list.ts";
import { daysAsked, listQueryOf } from "../pages/list-query.ts";
import type { Words } from "../words.ts";
import { AUDIT_PATH, setupTabs } from "./tabs.ts";

const { resource, resource_id, actor } = AuditFilters.properties;
const listQuery = listQueryOf(
  Type.Object({
    resource,
    resource_id,
    actor,
    from: Type.Optional(isoDate()),
    to: Type.Optional(isoDate()),
    ...PAGE_QUERY,
  }),
);

/** Declares the pages. */
export function auditPages(console: ConsoleRouter, deps: Deps): void {
  console.get(AUDIT_PATH, "audit.read", {
    summary: "The audit log",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words, person } = call;
      const { tenant } = person;
      const { verify, ...query } = call.query;
      const given = listQuery(query);
      const { usable } = given;
      const now = deps.clock.now();
      const { from, before: to } = daysAsked(given, words, now);
      const filters = {
        resource: usable["resource"] ?? null,
        resourceId: usable["resource_id"] ?? null,
        actor: usable["actor"] ?? null,
        from,
        to,
      };
      const page = await readListPage(deps, { tenant, path: AUDIT_PATH }, given, async (window) =>
        (await listAuditEntries(deps.db, tenant, filters, window)).map((row) => ({
          ...row,
          created_at: row.at,
        })),
      );
      const chain = verify === undefined ? null : await verifyChain(deps.db, deps.keys, tenant);
      const tabs = html`${setupTabs(words, person, AUDIT_PATH)} ${chain !== null && chainMark(words, chain)}`;
      const body = auditPage({ words, now, given, ...page }, tabs);
      return call.page(words.say("auditLog"), body, { headed: true });
    },
  });

  console.get(`${AUDIT_PATH}{id}/`, "audit.read", {
    summary: "An entry of the audit log",
    schema: { params: AnyIdInPath, response },
    async handle(call) {
      const { words, person } = call;
      const { id } = call.params;
      const row = isUuid(id) ? await findEntry(deps.db, person.tenant, id) : null;
      if (row === null) throw new Refusal("not_found");
      const body = entryPage(words, row, setupTabs(words, person, AUDIT_PATH), deps.clock.now());
      return call.page(words.say("auditLog"), body, { headed: true });
    },
  });
}

type Entry = AuditLogRow & { readonly created_at: Date };

function auditPage(page: ListPage<Entry>, tabs: Html): Html {
  const { words, now, rows } = page;
  const { say } = words;
  return listPage(page, {
    path: AUDIT_PATH,
    title: say("auditLog"),
    none: [say("noAuditEntries"), say("noAuditEntriesHint")],
    tabs,
    acts: [
      html`<a class="button" href="${addressWith(AUDIT_PATH, { ...page.given.usable, verify: "1" })}"
        >${say("verifyChain")}</a
      >`,
    ],
    filters: (query) => offeredFilters(words, query, now),
    table: () =>
      table(
        say("auditLog"),
        [
          { title: say("what") },
          { title: say("record") },
          { title: say("who") },
          { title: say("ipAddress"), as: "short spare" },
          { title: say("date"), as: "short" },
        ],
        rows.map((row) => [
          html`<a class="row" href="${AUDIT_PATH}${row.id}/">${actName(words, row)}</a>`,
          resourceName(words, row.resource),
          row.actor_name,
          orNone(row.ip),
          time(words, row.at, now),
        ]),
      ),
  });
}

function offeredFilters(words: Words, query: Query, now: Date): readonly Filter[] {
  const { say } = words;
  const { resource = "", resource_id: id = "" } = query;
  return [
    {
      title: say("record"),
      names: ["resource", "resource_id"],
      shown: `${resourceName(words, resource)} ${id}`.trim() || null,
      form: html`${select({ name: "resource", label: say("record"), value: resource }, [
        ["", say("any")],
        ...resourceOptions(words, resource),
      ])}
      ${input({ name: "resource_id", label: "ID", value: id, maxLength: 36 })}`,
    },
    textFilter(query, "actor", say("who"), 100),
    daysFilter(words, query, say("date"), now),
  ];
}

function actName({ texts }: Words, { action }: AuditLogRow): string {
  return texts.acts[action] ?? action;
}

function resourceName({ texts }: Words, resource: string): string {
  return texts.resources[resource] ?? resource;
}

/**
 * The options, sorted by name.
 * @param given remains an option if it is unknown: an address may contain a value written by an older release.
 */
function resourceOptions(words: Words, given: string): readonly Option[] {
  const known = Object.keys(words.texts.resources);
  return (given === "" || known.includes(given) ? known : [...known, given])
    .map((resource): Option => [resource, resourceName(words, resource)])
    .toSorted(([, a], [, b]) => a.localeCompare(b, words.language));
}

type Verified = Awaited<ReturnType<typeof verifyChain>>;

function chainMark(words: Words, { head, findings }: Verified): Html {
  if (findings.length > 0)
    return callout("bad", html`${words.say("chainWrong")}<br />${findings.slice(0, 5).join("; ")}`);
  if (head === null) return callout("waiting", words.say("chainEmpty"));
  return callout("good", words.say("chainRight", { number: words.number(Number(head.number)) }));
}

/** The page of an entry; for a change it shows only the changed fields, before and after. */
function entryPage(words: Words, row: AuditLogRow, tabs: Html, now: Date): Html {
  const { say } = words;
  const [before, after] = [fieldsIn(row.before), fieldsIn(row.after)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter(
    (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null),
  );
  return html`${heading(actName(words, row), {
      lead: `${resourceName(words, row.resource)} · ${row.actor_name}`,
    })}
    ${tabs}
    <div class="split">
      <div class="stack">
        ${panel(
          say("changed"),
          table(
            say("changed"),
            [{ title: say("name") }, { title: say("before") }, { title: say("after") }],
            changed.map((name) => [fieldName(words, name), valueOf(before[name]), valueOf(after[name])]),
          ),
        )}
      </div>
      <div class="stack">
        ${panel(
          say("facts"),
          facts([
            [say("date"), time(words, row.at, now)],
            [say("who"), row.actor_name],
            [say("ipAddress"), row.ip],
            [say("requestId"), row.request_id === null ? null : copyableReference(words, row.request_id)],
            [say("record"), row.resource_id === null ? null : copyableReference(words, row.resource_id)],
            ["ID", copyableReference(words, row.id)],
          ]),
        )}
      </div>
    </div>`;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(value: unknown): Fields {
  return (value ?? {}) as Fields;
}

/** The field's name as in the forms. */
function fieldName({ texts }: Words, name: string): Html | string {
  return texts.fields[name] ?? texts.loggedFields[name] ?? html`<span class="code">${name}</span>`;
}

function valueOf(value: unknown): Html | string {
  if (value === undefined || value === null) return orNone(null);
  return html`<span class="code">${typeof value === "string" ? value : JSON.stringify(value)}</span>`;
}
