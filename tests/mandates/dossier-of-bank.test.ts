/** The dossier of a mandate whose debits go through the merchant's own bank. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { dossierEntries, markSent } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let desk: ReturnType<typeof deskOf>;

before(async () => {
  service = await startService({ clock });
  desk = deskOf(service);
});
after(() => service.close());

test("a debit is in the dossier once its file was sent, and not while the file may be withdrawn", async () => {
  const { merchant, file } = await desk.batched(1, {});
  const [{ mandate_id: mandate } = {} as Json] = await service.rows(
    "select mandate_id from transactions limit 1",
  );
  const filed = async (): Promise<readonly Json[]> => {
    const entries = await dossierEntries(service, merchant, mandate);
    return entries.filter(({ kind }) => kind === "in_file");
  };
  assert.deepEqual(await filed(), []);
  await markSent(service, merchant, file["id"]);
  const [entry, ...others] = await filed();
  assert.deepEqual([others, entry?.["facts"].message_id], [[], file["message_id"]]);
});
