/** Applies a booking or status of a whole block or file to its instructions. */
import type { IsoDate } from "../../../lib/dates.ts";
import { must } from "../../../lib/assert.ts";
import { centsFromDatabase, formatAmount } from "../../../lib/money.ts";
import type { Application } from "./apply-items.ts";
import {
  type BlockSums,
  countBookedOtherwise,
  findBlockSentAgain,
  insertBlockBookings,
  lockBlock,
  moveBlock,
} from "./blocks-store.ts";
import { fileIdOfBlock, reportKey } from "./decide.ts";
import type { Item, Money } from "./items.ts";
import { sentAgain, type Applied } from "./report.ts";

type Status = Extract<Item, { readonly kind: "block_reject" }>;
type Booking = Extract<Item, { readonly kind: "block_credit" | "credit" | "return" | "transfer_out" }>;
export type BlockItem = Status | Booking;

export function applyBlock(at: Application, item: BlockItem, today: IsoDate): Promise<Applied> {
  return item.kind === "block_reject" ? rejectBlock(at, item, today) : settleBlock(at, item, today);
}

async function settleBlock(at: Application, item: Booking, today: IsoDate): Promise<Applied> {
  const { tx, reach, id, deps, reported, pages } = at;
  const { tenant } = at.account;
  const { gatewayIds } = reach;
  const sure = "sure" in item && item.sure;
  if (item.block === null) {
    return nothingNamed(sure, "a collective booking that identifies neither a block nor a file");
  }
  const sums = await lockBlock(tx, tenant, gatewayIds, item.block, true);
  if (sums.transactions === 0) return nothingNamed(sure, "no block or file of this account has this id");
  const movement = item.kind === "transfer_out" || item.kind === "return" ? "debit" : "credit";
  const wrong = wrongSum(sums, item, movement);
  if (wrong !== null) return { kind: "unmatched", why: wrong };
  const on = item.bookedOn ?? today;
  const name = must(item.block.blockId ?? item.block.messageId, "the block's name");
  // The file that the block is in; a whole file is in no other.
  const whole = item.block.blockId === null ? null : fileIdOfBlock(item.block.blockId);
  const { bankReference } = item;
  const booked = { movement, fileId: id, on, bankReference, namedFile: whole ?? name } as const;
  const sum = reportKey(`block ${movement}`, name);
  const others = await countBookedOtherwise(tx, tenant, gatewayIds, item.block, booked, pages.statement);
  const part = reportKey(`part ${movement}`, name);
  const ofWhole = whole === null ? [] : [reportKey(`block ${movement}`, whole)];
  const again = [sum, part, ...ofWhole];
  const onOtherPages = await pages.reportedElsewhere(again);
  if (others > 0 || again.some((key) => reported.has(key) || onOtherPages.has(key))) {
    return {
      kind: "unmatched",
      why: "the bank booked this part of the block a second time",
    };
  }
  const moved =
    sums.batched === 0
      ? 0
      : await moveBlock(
          tx,
          tenant,
          gatewayIds,
          item.block,
          { ...NO_REASON, state: "settled", on, bankReference, fileId: id },
          deps.time.now(tenant),
        );
  await insertBlockBookings(tx, tenant, gatewayIds, item.block, booked);
  for (const key of whole === null ? [sum] : [sum, reportKey(`part ${movement}`, whole)]) {
    reported.add(key);
    pages.report(key);
  }
  const from = await findBlockSentAgain(tx, tenant, gatewayIds, item.block);
  const followUp = from === null ? {} : { followUp: sentAgain(from.message_id) };
  return moved === 0
    ? { kind: "known", words: "the block is settled", booking: null, ...followUp }
    : { kind: "block", result: "settled", moved, ...followUp };
}

const NO_REASON = { reasonCode: null, reasonMessage: null };

/** Checks the sum to the cent and its direction: a block of collections is credited, one of refunds debited. */
function wrongSum(sums: BlockSums, { amount, currency }: Money, movement: "credit" | "debit"): string | null {
  if (sums.refunds > 0 !== (movement === "debit"))
    return "the money moves in the opposite direction to the block";
  if (amount === centsFromDatabase(sums.amount) && currency === sums.currency) return null;
  const booked =
    amount === null ? "an amount that cannot be read" : `${formatAmount(amount)} ${currency ?? ""}`;
  return `the bank booked ${booked.trim()} for a block of ${sums.amount} ${sums.currency ?? ""}`;
}

async function rejectBlock(
  { tx, account, reach, id, deps }: Application,
  item: Status,
  today: IsoDate,
): Promise<Applied> {
  const { tenant } = account;
  const { gatewayIds } = reach;
  const sums = await lockBlock(tx, tenant, gatewayIds, item.block, false);
  if (sums.transactions === 0) return nothingNamed(item.sure, "no block or file of this account has this id");
  if (item.reversal === true && sums.refunds === 0)
    return { kind: "unmatched", why: "the bank rejected reversals under the id of their debits" };
  if (item.listed) {
    const why =
      "the bank rejected the block and listed only some of its transactions: ask what happened to the others";
    return sums.batched + sums.settled === 0
      ? { kind: "known", words: "the whole block is rejected", booking: null }
      : { kind: "unmatched", why };
  }
  if (sums.settled > 0)
    return { kind: "unmatched", why: "the bank rejected a block it has already credited" };
  if (sums.batched === 0) return { kind: "known", words: "the block is rejected", booking: null };
  const to = {
    state: "rejected",
    on: item.bookedOn ?? today,
    reasonCode: item.why.code ?? "NARR",
    reasonMessage: item.why.message,
    bankReference: null,
    fileId: id,
  } as const;
  const moved = await moveBlock(tx, tenant, gatewayIds, item.block, to, deps.time.now(tenant));
  return { kind: "block", result: "rejected", moved };
}

function nothingNamed(sure: boolean, why: string): Applied {
  return sure ? { kind: "unmatched", why } : { kind: "passed", words: why };
}
