/** The ids of an entry or status: ours, as far as banks return them, and the bank's. Pure. */
import type { Batch, Detail, Entry } from "../../../sepa/messages/reading/records.ts";

export interface Ids {
  /** End-to-end, instruction and transaction id, whichever the bank gives; ours are the same. */
  readonly references: readonly string[];
  readonly mandateReference: string | null;
  /** Whatever else is named: blocks, messages, the bank's own references. */
  readonly others: readonly string[];
}

export interface BlockIds {
  readonly blockId: string | null;
  readonly messageId: string | null;
}

export function idsOf(entry: Entry, detail: Detail | null): Ids {
  const batches = detail === null ? entry.batches : [detail.batch];
  return {
    references: present([detail?.endToEndId, detail?.instructionId, detail?.transactionId]),
    mandateReference: usable(detail?.mandateId),
    others: present([
      detail?.paymentInformationId,
      detail?.messageId,
      detail?.servicerReference,
      entry.servicerReference,
      ...batches.flatMap((batch) => [batch?.paymentInformationId, batch?.messageId]),
    ]),
  };
}

/** Every name at once. */
export function namesIn({ references, mandateReference, others }: Ids): readonly string[] {
  return present([...references, mandateReference, ...others]);
}

/** The block, or the file, that a booking may stand for when it names no transaction. */
export function blockOf(batch: Batch | null, detail: Detail | null): BlockIds | null {
  const blockId = usable(batch?.paymentInformationId) ?? usable(detail?.paymentInformationId);
  const messageId = blockId === null ? (usable(batch?.messageId) ?? usable(detail?.messageId)) : null;
  return blockId === null && messageId === null ? null : { blockId, messageId };
}

export function present(texts: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(texts.map(usable).filter((text) => text !== null))];
}

/** Places that had to be filled say nothing. */
export function usable(text: string | null | undefined): string | null {
  const given = text?.trim() ?? "";
  return /^(NOTPROVIDED|NONREF|NOTAVAILABLE|NA|[0.-]*)$/i.test(given) ? null : given;
}
