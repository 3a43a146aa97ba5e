/** Whether the service runs on a database: some changes need every instance to be stopped. */
import type pg from "pg";
import { SERVICE_NAME } from "./postgres.ts";

/** The name of connections of exports and imports. */
export const COPY_NAME = `${SERVICE_NAME} copy`;

/** The number of connections that the service has to the client's database, without those named `besides`. */
export async function serviceConnections(client: pg.Client, besides = ""): Promise<number> {
  const { rows } = await client.query<{ open: number }>(
    `select count(*)::integer as open from pg_stat_activity
      where datname = current_database() and starts_with(application_name, $1) and application_name <> $2`,
    [SERVICE_NAME, besides],
  );
  return rows[0]?.open ?? 0;
}
