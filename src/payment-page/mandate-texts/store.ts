/** The SQL of merchants' own mandate texts. */
import { sql, type Reader, type Tx } from "../../db/database.ts";
import { must } from "../../lib/assert.ts";
import { listed } from "../../db/lists.ts";
import type { MandateTextRow } from "../../db/rows.ts";
import type { Window } from "../../lib/window.ts";

/** The texts of the current version, by language. */
export type MandateTexts = Readonly<Record<string, { readonly id: string; readonly text: string }>>;

/**
 * SQL for the texts `{language: {id, text}}` that the page `p` shows for mandates of a scheme; null if it shows none.
 * @param scheme SQL expression of the scheme.
 */
export function textsShown(scheme: string): string {
  return `(
    select jsonb_object_agg(x.language, jsonb_build_object('id', x.id, 'text', x.text))
      from (select distinct on (language) language, id, text
              from mandate_texts
             where mandate_texts.tenant = :tenant and hosted_page_id = p.id and scheme = ${scheme}
             order by language, version desc) x
     where x.text is not null
  )`;
}

const FIND = sql(
  "mandate_texts.find",
  "select * from mandate_texts where tenant = :tenant and id = :id",
).gives<MandateTextRow>();

export async function findMandateText(
  db: Reader,
  tenant: number,
  id: string,
): Promise<MandateTextRow | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}

const LIST = listed(
  "mandate_texts.list",
  "select * from mandate_texts where tenant = :tenant and hosted_page_id = :pageId",
  ["created_at", "id"],
).gives<MandateTextRow>();

export function listMandateTexts(
  db: Reader,
  tenant: number,
  pageId: string,
  { towards, at, id, limit }: Window,
): Promise<readonly MandateTextRow[]> {
  return db.query(LIST[towards], { tenant, pageId, at, id, limit });
}

/** The page's versions are counted while it is locked. */
const LOCK_PAGE = sql(
  "mandate_texts.lock_page",
  "select id, archived_at from hosted_pages where tenant = :tenant and id = :pageId for no key update",
).gives<{ id: string; archived_at: Date | null }>();

export async function lockPage(tx: Tx, tenant: number, pageId: string) {
  return (await tx.query(LOCK_PAGE, { tenant, pageId }))[0] ?? null;
}

const INSERT = sql(
  "mandate_texts.insert",
  `insert into mandate_texts (tenant, id, hosted_page_id, scheme, language, version, text, created_at)
   select p.tenant, :id, p.id, :scheme, :language,
          1 + coalesce((select max(m.version) from mandate_texts m
                         where m.tenant = :tenant and m.hosted_page_id = p.id and m.scheme = :scheme
                           and m.language = :language), 0),
          :text, :now
     from hosted_pages p
    where p.tenant = :tenant and p.id = :pageId
   returning *`,
).gives<MandateTextRow>();

interface NewMandateText {
  readonly id: string;
  readonly pageId: string;
  readonly scheme: "CORE" | "B2B";
  readonly language: string;
  readonly text: string | null;
  readonly now: Date;
}

export async function insertMandateText(
  tx: Tx,
  tenant: number,
  given: NewMandateText,
): Promise<MandateTextRow> {
  const rows = await tx.write(INSERT, { tenant, ...given });
  return must(rows[0], "the version that was added");
}
