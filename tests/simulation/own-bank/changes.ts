/** Counts the moves of the records from state to state, for the table of reached rows. */
import type { World } from "./world.ts";

/** The state of each record, by its kind and id. */
export type Standings = ReadonlyMap<string, string>;

const RECORDS = `
  select 'collection ' || case when refund_of is null then '' else '(refund) ' end as what, tenant || reference as id, state from sepa_collections
   union all select 'file ', id::text, status from sepa_files where direction = 'out'
   union all select 'mandate ', id::text, status from mandates
   union all select 'subscription ', id::text, status from subscriptions
   union all select 'cycle ', subscription_id || '/' || cycle, status from billing_cycles
   union all select 'unmatched ' || kind || ' ', id::text, status from sepa_unmatched`;

export async function lookAround(world: World): Promise<Standings> {
  const rows = await world.rows(RECORDS);
  return new Map(rows.map((row) => [`${row["what"]}|${row["id"]}`, row["state"] as string]));
}

export function countChanges({ coverage }: World, before: Standings, now: Standings): void {
  for (const [id, state] of now) {
    const was = before.get(id) ?? "new";
    if (was !== state) coverage.count(`${id.slice(0, id.indexOf("|"))}${was} → ${state}`);
  }
}
