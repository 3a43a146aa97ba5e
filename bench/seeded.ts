/** Data folders with a seeded tenant, which several benchmarks use: seeding ten million transactions takes a while. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "../src/config.ts";
import { migrate } from "../src/db/migrate.ts";
import { sharedDatabaseOf } from "../src/start-database.ts";
import { seed } from "../tools/seed.ts";

/** The number of days of the seeded transactions. */
export const SEEDED_DAYS = 90;

interface Seeded {
  readonly apiKey: string;
  readonly tenant: number;
}

/** The folder below `base` with this many transactions, seeded if necessary and migrated to the newest schema. */
export async function seededFolder(
  base: string,
  rows: number,
): Promise<Seeded & { readonly dataDir: string }> {
  const dataDir = join(base, String(rows));
  await mkdir(dataDir, { recursive: true });
  const noteOf = join(dataDir, "seeded.json");
  const found = await readFile(noteOf, "utf8").catch(() => null);
  const config = await readConfig({ DATA_DIR: dataDir, DEMO: "false" });
  const server = await sharedDatabaseOf(config);
  try {
    // Beforehand, because it may take longer than the limit of a start.
    await migrate(server.ownerUrl);
    if (found !== null) return { dataDir, ...(JSON.parse(found) as Seeded) };
    const startedMs = performance.now();
    const { apiKey, tenant } = await seed(config, server.ownerUrl, rows, SEEDED_DAYS);
    console.error(`seeded ${rows} transactions in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
    await writeFile(noteOf, JSON.stringify({ apiKey, tenant }), { mode: 0o600 });
    return { dataDir, apiKey, tenant };
  } finally {
    await server.stop();
  }
}
