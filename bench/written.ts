/** What a database has written so far: its WAL, and the size of its tables and indexes. */
import pg from "pg";

export interface Written {
  /** Of the whole server. */
  readonly walBytes: number;
  readonly storedBytes: number;
}

export async function writtenSoFar(databaseUrl: string): Promise<Written> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ wal: string; stored: string }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::text as wal,
            pg_database_size(current_database())::text as stored`,
  );
  await client.end();
  return { walBytes: Number(rows[0]?.wal), storedBytes: Number(rows[0]?.stored) };
}
