/** The references that people and banks read: order numbers, merchant transaction ids, mandate references. */
import { readable, type Ids } from "../lib/ids.ts";

const REFERENCE_LENGTH = 8;
/** Long enough to be unique for ever, as a mandate reference is never used again (SDD rulebook). */
const MANDATE_REFERENCE_LENGTH = 16;

/** `ORD-XXXXXXXX`. */
export function orderNumber(ids: Ids): string {
  return `ORD-${ids.reference(REFERENCE_LENGTH)}`;
}

/** `TXN-YYYYMMDD-XXXXXXXX` with the day in UTC. */
export function merchantTransactionId(ids: Ids, now: Date): string {
  return `TXN-${now.toISOString().slice(0, 10).replaceAll("-", "")}-${ids.reference(REFERENCE_LENGTH)}`;
}

/** `MND-…`: upper case letters, digits and hyphens only, which every bank takes. */
export function mandateReference(ids: Ids): string {
  return `MND-${ids.reference(MANDATE_REFERENCE_LENGTH)}`;
}

/** The same form from unpredictable bytes, for a mandate that is shown before it is signed. */
export function mandateReferenceFrom(bytes: Buffer): string {
  return `MND-${readable(bytes.subarray(0, MANDATE_REFERENCE_LENGTH))}`;
}
