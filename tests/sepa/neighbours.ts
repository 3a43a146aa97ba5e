/**
 * A bank account's books with neighbours that have the same data: another account of the tenant, and another tenant
 * whose account has the same id. Statements must neither read nor change the neighbours.
 */
import assert from "node:assert/strict";
import type { Database, Tx } from "../../src/db/database.ts";
import { adHoc } from "../../tools/ad-hoc.ts";
import type { Json } from "../support/service.ts";

/** The account, and another gateway of the tenant for the same bank account. */
export const OWN = "aaaaaaaa-0000-4000-8000-000000000000";
export const SISTER = "bbbbbbbb-0000-4000-8000-000000000000";
const FOREIGN = "cccccccc-0000-4000-8000-000000000000";
export const BOTH = [OWN, SISTER];

export const NOW = new Date("2026-11-25T10:00:00Z");

/** The tables of a bank account's books. */
const TABLES = [
  "sepa_accounts",
  "sepa_bookings",
  "sepa_collections",
  "sepa_creditor_accounts",
  "sepa_entries",
  "sepa_file_approvals",
  "sepa_files",
  "sepa_news",
  "sepa_unmatched",
  "sepa_withdrawn",
];
/** Tables that refer to a file but not to an account. */
const OF_FILES = new Set(["sepa_entries", "sepa_file_approvals"]);

export type Facts = Readonly<Record<string, unknown>>;

interface Place {
  readonly tenant: number;
  readonly gateway: string;
}

/** The id of a file, made from its name and account. */
export function fileId(name: string, gateway: string = OWN): string {
  const digits = Buffer.from(name).toString("hex").padEnd(12, "0").slice(0, 12);
  return `${gateway.slice(0, 8)}-0000-4000-8000-${digits}`;
}

/** The id of another record, made from its name. */
export function idOf(name: string): string {
  return fileId(name, "dddddddd");
}

export class Neighbours {
  readonly tenant: number;
  readonly tx: Tx;
  readonly #others: readonly Place[];

  constructor(tx: Tx, [tenant, other]: readonly [number, number]) {
    this.tx = tx;
    this.tenant = tenant;
    this.#others = [
      { tenant, gateway: FOREIGN },
      { tenant: other, gateway: OWN },
    ];
  }

  /** The transaction as a `Database`, for functions that need one. */
  get db(): Database {
    const { tx } = this;
    const calls = {
      query: tx.query.bind(tx),
      commit: tx.write.bind(tx),
      transaction: (work: (tx: Tx) => unknown) => work(tx),
    };
    return calls as unknown as Database;
  }

  rows(text: string, values: readonly unknown[] = []): Promise<readonly Json[]> {
    return this.tx.query<Json>(...adHoc(text, values));
  }

  /**
   * Inserts a row in the account and the same row in the neighbours. @param elsewhere changes of the neighbours' rows;
   * null: none is inserted there.
   */
  async #put(table: string, facts: Facts, elsewhere: Facts | null, only?: Place): Promise<void> {
    const own = only ?? { tenant: this.tenant, gateway: OWN };
    await this.insert(table, own, facts);
    if (only !== undefined || elsewhere === null) return;
    for (const place of this.#others) await this.insert(table, place, { ...facts, ...elsewhere });
  }

  /** @param place the tenant and gateway. The facts refer to a file by its name there, not by its id. */
  async insert(table: string, { tenant, gateway }: Place, facts: Facts): Promise<void> {
    const row: Record<string, unknown> = {
      tenant,
      ...(OF_FILES.has(table) ? {} : { gateway_id: gateway }),
      ...facts,
    };
    for (const name of ["file_id", ...(["sepa_files", "sepa_unmatched"].includes(table) ? ["id"] : [])])
      if (typeof row[name] === "string") row[name] = fileId(row[name], gateway);
    const columns = Object.keys(row).map((name) => `"${name}"`);
    await this.rows(
      `insert into ${table} (${columns.join()}) select ${columns.join()} from jsonb_populate_record(null::${table}, $1::jsonb)`,
      [JSON.stringify(row)],
    );
  }

  /** Inserts rows only in the tenant's other account and in the other tenant. */
  async elsewhere(table: string, ofAccount: Facts, ofTenant: Facts): Promise<void> {
    for (const [at, facts] of [ofAccount, ofTenant].entries()) {
      const place = this.#others[at];
      if (place !== undefined) await this.insert(table, place, { ...DEFAULTS[table], ...facts });
    }
  }

  /**
   * Inserts an instruction, by default of 10.00 EUR and waiting. @param elsewhere how the neighbours' instructions
   * differ.
   */
  async collection(facts: Facts, elsewhere: Facts | null = {}): Promise<void> {
    await this.#put("sepa_collections", { ...DEFAULTS["sepa_collections"], ...facts }, elsewhere);
  }

  /** Inserts an instruction of the other gateway for the same bank account. */
  async sister(facts: Facts): Promise<void> {
    const place = { tenant: this.tenant, gateway: SISTER };
    await this.#put("sepa_collections", { ...DEFAULTS["sepa_collections"], ...facts }, null, place);
  }

  /** Inserts a file, by default a sent one. Its id is made from its name. */
  async file(name: string, facts: Facts = {}, elsewhere: Facts | null = {}): Promise<void> {
    await this.#put(
      "sepa_files",
      { ...DEFAULTS["sepa_files"], id: name, message_id: name, ...facts },
      elsewhere,
    );
  }

  async booking(
    reference: string,
    movement: string,
    facts: Facts = {},
    elsewhere: Facts | null = {},
  ): Promise<void> {
    const row = { reference, movement, booked_on: "2026-11-25", ...facts };
    await this.#put("sepa_bookings", row, elsewhere);
  }

  async withdrawn(
    reference: string,
    number: number,
    file: string,
    facts: Facts = {},
    elsewhere: Facts | null = {},
  ): Promise<void> {
    const row = { reference, number, file_id: file, block_id: `${file}-1`, withdrawn_at: NOW, ...facts };
    await this.#put("sepa_withdrawn", row, elsewhere);
  }

  async news(
    reference: string,
    kind: string,
    facts: Facts = {},
    elsewhere: Facts | null = {},
  ): Promise<void> {
    await this.#put(
      "sepa_news",
      { reference, kind, round: 0, at: NOW, written_at: NOW, ...facts },
      elsewhere,
    );
  }

  async unmatched(name: string, facts: Facts = {}, elsewhere: Facts | null = {}): Promise<void> {
    const row = {
      id: name,
      entry: 1,
      kind: "block",
      why: "",
      facts: {},
      status: "open",
      created_at: NOW,
      ...facts,
    };
    await this.#put("sepa_unmatched", row, elsewhere);
  }

  async mandate(name: string, facts: Facts = {}, elsewhere: Facts | null = {}): Promise<void> {
    const row = { ...MANDATE, id: idOf(name), reference: name, ...facts };
    for (const [tenant, own] of [
      [this.tenant, row],
      [this.#others[1]?.tenant, elsewhere === null ? null : { ...row, ...elsewhere }],
    ] as const) {
      if (own === null) continue;
      const columns = [...Object.keys(own), "tenant"];
      await this.rows(
        `insert into mandates (${columns.join()}) select ${columns.join()} from jsonb_populate_record(null::mandates, $1::jsonb)`,
        [JSON.stringify({ ...own, tenant })],
      );
    }
  }

  async amendment(
    mandate: string,
    number: number,
    facts: Facts,
    elsewhere: Facts | null = {},
  ): Promise<void> {
    const row = { mandate_id: idOf(mandate), number, at: NOW, kind: "reference", ...facts };
    for (const [tenant, own] of [
      [this.tenant, row],
      [this.#others[1]?.tenant, elsewhere === null ? null : { ...row, ...elsewhere }],
    ] as const) {
      if (own === null) continue;
      const columns = [...Object.keys(own), "tenant"];
      await this.rows(
        `insert into mandate_amendments (${columns.join()})
         select ${columns.join()} from jsonb_populate_record(null::mandate_amendments, $1::jsonb)`,
        [JSON.stringify({ ...own, tenant })],
      );
    }
  }

  /** These columns of the account's instructions, by reference. */
  async collections(columns: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
    const rows = await this.rows(
      `select reference, jsonb_build_array(${columns}) as has from sepa_collections
        where tenant = $1 and gateway_id = any ($2::uuid[]) order by reference`,
      [this.tenant, BOTH],
    );
    return Object.fromEntries(
      rows.map(({ reference, has }) => [String(reference), has as readonly unknown[]]),
    );
  }

  /** Runs the work, and asserts that it has changed nothing in the neighbours. */
  async alone<T>(act: () => Promise<T>): Promise<T> {
    const before = await this.#neighbours();
    const done = await act();
    assert.deepEqual(await this.#neighbours(), before, "what is in the neighbours");
    return done;
  }

  async #neighbours(): Promise<Readonly<Record<string, unknown>>> {
    const all: Record<string, unknown> = {};
    for (const table of TABLES) {
      const own = OF_FILES.has(table)
        ? "file_id in (select id from sepa_files f where f.tenant = t.tenant and f.gateway_id = any ($2::uuid[]))"
        : "gateway_id = any ($2::uuid[])";
      all[table] = await this.rows(
        `select to_jsonb(t) as row from ${table} t where not (tenant = $1 and ${own}) order by to_jsonb(t)::text`,
        [this.tenant, BOTH],
      );
    }
    return all;
  }
}

const DEFAULTS: Readonly<Record<string, Facts>> = {
  sepa_collections: {
    state: "accepted",
    amount: "10.00",
    currency: "EUR",
    recurring: false,
    mandate_reference: "",
    debtor_name: "Somebody",
    remittance: "",
    created_at: NOW,
    updated_at: NOW,
    asked_count: 1,
    round: 0,
    assumed: false,
  },
  sepa_files: {
    direction: "out",
    kind: "pain.008",
    name: "file.xml",
    sha256: `\\x${"00".repeat(32)}`,
    content: "\\x00",
    size: 1,
    status: "sent",
    created_at: NOW,
    updated_at: NOW,
  },
};

const LEAD = idOf("lead");
const MANDATE: Facts = {
  lead_id: LEAD,
  source: "import",
  scheme: "CORE",
  status: "active",
  accepted_at: NOW,
  creditor_name: "Shop",
  holder_name: "Somebody",
  iban_sealed: "\\x00",
  iban_fingerprint: "\\x00",
  iban_last4: "3000",
  iban_length: 22,
  iban_country: "DE",
  used_elsewhere: false,
  created_at: NOW,
  updated_at: NOW,
  type: "recurrent",
};

/** Makes two tenants with their accounts. @returns their numbers. */
export async function makeTenants(db: Database): Promise<readonly [number, number]> {
  const made: number[] = [];
  for (const name of ["One", "Other"]) {
    const [row] = await db.commit<{ tenant: number }>(
      ...adHoc(
        `insert into tenants (id, name, session_lifetime_seconds, created_at, updated_at)
         values (gen_random_uuid(), $1, 3600, $2, $2) returning tenant`,
        [name, NOW],
      ),
    );
    assert.ok(row !== undefined);
    made.push(row.tenant);
    for (const [id, iban] of [
      [OWN, "DE89370400440532013000"],
      [SISTER, "de89 3704 0044 0532 0130 00"],
      [FOREIGN, "AT483200000012345864"],
    ]) {
      const settings = JSON.stringify({
        creditor_iban: iban,
        creditor_name: "Shop",
        creditor_identifier: "DE98ZZZ09999999999",
      });
      await db.commit(
        ...adHoc(
          `insert into gateways (tenant, id, name, adapter, test_mode, settings, completed_event_at, active, created_at, updated_at)
           values ($1, $2, 'Bank', 'sepa_batch', false, $3, 'settlement', true, $4, $4)`,
          [row.tenant, id, settings, NOW],
        ),
      );
    }
    await db.commit(
      ...adHoc(
        `insert into leads (tenant, id, email_key, email, first_name, last_name, country, created_at, updated_at)
         values ($1, $2, 'x', 'x', 'Some', 'Body', 'DE', $3, $3)`,
        [row.tenant, LEAD, NOW],
      ),
    );
  }
  const [one = 0, other = 0] = made;
  return [one, other];
}

/** Thrown to roll back a transaction on purpose. */
class Undone extends Error {}

/** Runs the work in a transaction, and rolls it back. */
export async function undone(
  db: Database,
  tenants: readonly [number, number],
  work: (books: Neighbours) => Promise<void>,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      await work(new Neighbours(tx, tenants));
      throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
}
