/** Reads the bank's protocol of orders (HAC): a pain.002 whose entries are steps of orders. */
import {
  childrenOf,
  elementAt,
  outermost,
  elementText,
  xmlTree,
  type XmlNode,
} from "../../../../files/xml-tree.ts";

/** A step of an order. */
export interface OrderEvent {
  /** FILE_UPLOAD, ES_VERIFICATION, ORDER_HAC_FINAL_POS and so on. */
  readonly action: string;
  readonly orderId: string | null;
  /** CDD, BTU and so on; null where the bank gives none. */
  readonly orderType: string | null;
  readonly at: Date | null;
  /** TS01, TA01, DS01 and so on; null where the bank gives none. */
  readonly reason: string | null;
  readonly text: string;
}

const HAC_CHARS_MAX = 32 * 1_024 ** 2;
const TEXT_CHARS_MAX = 1_000;

/**
 * Reads the events, in the bank's order.
 * @throws Unreadable.
 */
export function readHac(text: string): readonly OrderEvent[] {
  const root = xmlTree(text, HAC_CHARS_MAX);
  return outermost(root, ({ local }) => local === "OrgnlPmtInfAndSts").map((entry) => {
    const at = timeOf(partOf(entry, "TimeStamp"));
    return {
      action: (elementText(entry, "OrgnlPmtInfId") ?? "").slice(0, 35),
      orderId: partOf(entry, "OrderID"),
      orderType: partOf(entry, "AdminOrderType") ?? partOf(entry, "OrderType"),
      at,
      reason: elementText(entry, "StsRsnInf", "Rsn", "Cd") ?? elementText(entry, "StsRsnInf", "Rsn", "Prtry"),
      text: outermost(entry, ({ local }) => local === "AddtlInf")
        .map((line) => elementText(line) ?? "")
        .join(" ")
        .slice(0, TEXT_CHARS_MAX),
    };
  });
}

/** The value that an entry gives for a name. */
function partOf(entry: XmlNode, name: string): string | null {
  const organisation = elementAt(entry, "StsRsnInf", "Orgtr", "Id", "OrgId");
  const part = (organisation === null ? [] : childrenOf(organisation)).find(
    (other) => (elementText(other, "SchmeNm", "Prtry") ?? elementText(other, "SchmeNm", "Cd")) === name,
  );
  return part === undefined ? null : elementText(part, "Id");
}

function timeOf(text: string | null): Date | null {
  const at = new Date(text ?? "");
  return Number.isNaN(at.getTime()) ? null : at;
}

/** Whether an event shows that the bank has the order; null if it shows neither. */
export function hasArrived({ action, reason }: Pick<OrderEvent, "action" | "reason">): boolean | null {
  if (action === "FILE_UPLOAD") return reason === "TS01" ? true : reason === "TA01" ? false : null;
  // All later steps concern an order that the bank has.
  return /^(ES_|VEU_|ORDER_HAC_FINAL_)/.test(action) ? true : null;
}

/** Whether the bank will not execute the order. */
export function isRejected({ action }: Pick<OrderEvent, "action">): boolean {
  return action === "ORDER_HAC_FINAL_NEG" || action === "VEU_CANCEL_ORDER";
}
