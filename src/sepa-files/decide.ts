/** What an entry about one of our instructions changes: by where the instruction stands and what the bank says. Pure. */
import { addTargetDays } from "../banking/target.ts";
import type { SepaCollection } from "../gateways/sepa/store.ts";
import type { IsoDate } from "../lib/dates.ts";
import { centsFromDatabase, formatAmount } from "../lib/money.ts";
import type { Item } from "./interpret.ts";
import type { Change } from "./changes-store.ts";

/** What is known of an instruction while a file is being read. */
export type Standing = Pick<
  SepaCollection,
  "reference" | "refund_of" | "state" | "amount" | "settled_on" | "due_date" | "file_id" | "block_id"
>;

/** `unmatched`: a person has to look; `known`: said before; `change`: what to write. */
export type Decision =
  | { readonly kind: "change"; readonly changes: readonly Change[] }
  | { readonly kind: "known" }
  | { readonly kind: "unmatched"; readonly why: string };

export type About = Extract<
  Item,
  { readonly kind: "credit" | "return" | "reject" | "transfer_out" | "transfer_back" }
>;

const KNOWN: Decision = { kind: "known" };
const NOTHING = {
  reason_code: null,
  gateway_reference: null,
  reason_message: null,
  report_type: null,
  bank_fee: null,
};

/**
 * @param standing the instruction that the entry names.
 * @param today where the bank gives no date.
 */
export function decide(standing: Standing, item: About, today: IsoDate): Decision {
  const on = item.bookedOn ?? today;
  if (item.amount !== null && item.amount !== centsFromDatabase(standing.amount)) {
    return unmatched(`the bank says ${formatAmount(item.amount)}, we asked for ${standing.amount}`);
  }
  const paidOut = item.kind === "transfer_out" || item.kind === "transfer_back";
  if (standing.refund_of !== null) return ofRefund(standing, item, on);
  if (paidOut) return unmatched("a transfer under the id of a collection");
  switch (standing.state) {
    case "batched":
      return item.kind === "credit"
        ? change(settled(standing, item.bankReference, on))
        : notPaid(standing, item, on);
    case "settled":
      return item.kind === "credit" ? KNOWN : change(comesBack(standing, item, on));
    case "returned":
      return KNOWN;
    case "rejected":
      return item.kind === "credit" ? unmatched("money came for a collection that had been rejected") : KNOWN;
    default:
      return unmatched(`the collection is ${standing.state}: it never went to the bank`);
  }
}

/** Our own transfers: they go out, or are refused; one that comes back later is for a person. */
function ofRefund(standing: Standing, item: About, on: IsoDate): Decision {
  switch (item.kind) {
    case "transfer_out":
      if (standing.state === "settled") return KNOWN;
      return standing.state === "batched"
        ? change(settled(standing, item.bankReference, on))
        : unmatched(`the refund is ${standing.state}`);
    case "reject":
      if (standing.state === "rejected") return KNOWN;
      return standing.state === "batched"
        ? change(rejected(standing, item, on))
        : unmatched(`the refund is ${standing.state}`);
    default:
      return unmatched("a refund came back: pay it again by hand, or to another account");
  }
}

/** The bank refused it, or took back money that nobody has told us of: then it was there before. */
function notPaid(standing: Standing, item: About, on: IsoDate): Decision {
  if (item.kind === "reject") return change(rejected(standing, item, on));
  const there = settled(standing, null, standing.due_date ?? on);
  return { kind: "change", changes: [there, comesBack({ ...standing, settled_on: there.on }, item, on)] };
}

/** Of a collective booking every transaction has the same bank's reference: ours makes it one of its own. */
export function settled(
  { reference, block_id }: Standing,
  bankReference: string | null,
  on: IsoDate,
): Change {
  const block = block_id ?? "";
  const gateway_reference =
    bankReference === null
      ? `${block.replace(/-\d+$/, "")}/${block}/${reference}`
      : `${bankReference}:${reference}`;
  return { ...NOTHING, reference, state: "settled", on, gateway_reference, news: "settled" };
}

/** It was never paid. */
function rejected({ reference }: Standing, item: About, on: IsoDate): Change {
  const { code, message } = whyOf(item);
  return {
    ...NOTHING,
    reference,
    state: "rejected",
    on,
    news: "returned",
    reason_code: code,
    reason_message: message,
  };
}

/** Money that was there is gone: a chargeback, whoever asked for it. */
function comesBack(standing: Standing, item: About, on: IsoDate): Change {
  const { code, message } = whyOf(item);
  const fee = item.kind === "return" ? item.fee : null;
  return {
    ...NOTHING,
    reference: standing.reference,
    state: "returned",
    on,
    news: "charged_back",
    reason_code: code,
    reason_message: message,
    report_type: reportType(code, standing.settled_on ?? standing.due_date ?? on, on),
    bank_fee: fee === null ? null : formatAmount(fee),
  };
}

/** MD06 is the refund of eight weeks; MD01 after the time for returns is one of a debit that was not authorised. */
export function reportType(code: string | null, settledOn: IsoDate, on: IsoDate): string {
  if (code === "MD06") return "refund";
  return code === "MD01" && on > addTargetDays(settledOn, 5) ? "unauthorised_refund" : "return";
}

function whyOf(item: About): { readonly code: string; readonly message: string | null } {
  const why = item.kind === "credit" ? { code: null, message: null } : item.why;
  return { code: why.code ?? "NARR", message: why.message };
}

function change(one: Change): Decision {
  return { kind: "change", changes: [one] };
}

function unmatched(why: string): Decision {
  return { kind: "unmatched", why };
}
