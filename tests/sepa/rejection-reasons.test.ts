/**
 * The reason of a rejected debit is the most specific one of the status report: the transaction's, the block's or the
 * file's.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { pain002 } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { startService, type Service } from "../support/service.ts";

let service: Service;

before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
});
after(() => service.close());

const FILE_REASON = "<GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>FF01</Cd></Rsn></StsRsnInf>";

const ROWS = [
  { transaction: "MD01", block: "AC04", written: "MD01" },
  { transaction: undefined, block: "AC04", written: "AC04" },
  { transaction: undefined, block: undefined, written: "FF01" },
] as const;

for (const { transaction, block, written } of ROWS) {
  test(`a rejection with ${transaction ?? "no reason"} in a block with ${block ?? "none"} and a file with FF01 is written with ${written}`, async () => {
    const desk = deskOf(service);
    const { merchant, payments, references, file } = await desk.batched();
    const listed = {
      endToEndId: references[0] ?? "",
      ...(transaction === undefined ? {} : { reason: transaction }),
    };
    const about = { messageId: file["message_id"], groupStatus: "RJCT" };
    const report = pain002("2026-11-24", about, [
      {
        id: `${file["message_id"]}-1`,
        status: "RJCT",
        ...(block === undefined ? {} : { reason: block }),
        transactions: [listed],
      },
    ]);
    await desk.read(merchant, report.replace("<GrpSts>RJCT</GrpSts>", FILE_REASON));
    const { status, gateway_code: code } = await desk.transaction(payments[0]);
    assert.deepEqual([status, code], ["declined", written]);
  });
}
