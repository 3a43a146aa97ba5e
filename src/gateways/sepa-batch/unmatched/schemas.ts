/** The schemas of unmatched entries of bank files. */
import { Type, type Static } from "../../../lib/schema.ts";
import { amount, nullable, oneOf, text } from "../../../http/fields.ts";
import {
  NullableDay,
  NullableText,
  NullableTime,
  NullableUuid,
  Time,
  Uuid,
} from "../../../http/response-fields.ts";
import { PAGE_QUERY } from "../../../http/paging.ts";
import { must } from "../../../lib/assert.ts";
import { parseAmount } from "../../../lib/money.ts";
import { FieldErrors } from "../../../refusals.ts";
import type { ResolveInput } from "./resolve.ts";
import type { UnmatchedRow } from "./store.ts";

export const UNMATCHED_STATUSES = ["open", "part", "applied", "dismissed"] as const;
export const Unmatched = Type.Object(
  {
    id: Uuid,
    gateway_id: Uuid,
    file_id: Uuid,
    entry: Type.Integer({
      description:
        "Its position among the file's entries; 0 where it is about the file itself: one that could not be read, or one that the bank has twice, or after it was withdrawn, according to its EBICS protocol or its reports.",
    }),
    kind: Type.String(),
    why: Type.String(),
    amount: NullableText,
    bank_fee: NullableText,
    booked_on: NullableDay,
    references: Type.Array(Type.String()),
    mandate_reference: NullableText,
    reason_code: NullableText,
    reason_message: NullableText,
    status: Type.Enum([...UNMATCHED_STATUSES]),
    resolution: NullableText,
    resolved_at: NullableTime,
    created_at: Time,
  },
  { $id: "UnmatchedEntry" },
);

export const Suggestions = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        transaction_id: Uuid,
        reference: Type.String(),
        amount: Type.String(),
        currency: Type.String(),
        state: Type.String({ description: "Of the collection: batched, settled, returned, rejected, …" }),
        due_date: NullableDay,
        customer_name: NullableText,
        clue: oneOf(["reference", "mandate", "amount"], {
          description: "What the entry and the transaction have in common, the surest.",
        }),
        action: oneOf(["apply", "reinstate"], { description: "What to resolve the entry with." }),
        amount_differs: Type.Boolean({ description: "Resolve it with `accept_amount` or `bank_fee`." }),
      }),
      { description: "At most ten, the likeliest first." },
    ),
  },
  { $id: "UnmatchedSuggestions" },
);

const ACTIONS = ["apply", "settle", "part", "reject", "reinstate", "dismiss"] as const;
export const ResolveBody = Type.Object(
  {
    action: Type.Optional(
      oneOf(ACTIONS, { description: "Default: apply, or dismiss where `dismiss` says so." }),
    ),
    transaction_id: Type.Optional(NullableUuid),
    transaction_ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 1_000 })),
    block_id: Type.Optional(nullable(text(35, { description: "PmtInfId of a block that was sent." }))),
    file_id: Type.Optional(NullableUuid),
    bank_fee: Type.Optional(
      nullable(
        amount({ description: "What the bank deducted from a credit, or charged on top of a return." }),
      ),
    ),
    accept_amount: Type.Optional(Type.Boolean({ description: "Apply it although the amounts differ." })),
    dismiss: Type.Optional(Type.Boolean()),
    note: Type.Optional(nullable(text(500))),
  },
  { $id: "UnmatchedResolve" },
);
export const UnmatchedQuery = Type.Object({
  ...PAGE_QUERY,
  status: Type.Optional(oneOf(UNMATCHED_STATUSES)),
});

type Said = Static<typeof ResolveBody>;

/**
 * Reads the body of a resolution.
 * @throws FieldErrors where the target does not fit the action.
 */
export function readResolution(body: Said): Omit<ResolveInput, "tenant" | "id" | "operationId" | "author"> {
  const { dismiss = false, note = null, accept_amount: acceptAmount = false } = body;
  const { block_id: blockId = null, file_id: fileId = null, bank_fee: fee = null } = body;
  const action = body.action ?? (dismiss ? "dismiss" : "apply");
  const one = body.transaction_id ?? null;
  // UUIDs that differ only in case are equal.
  const ids = [...(body.transaction_ids ?? []), ...(one === null ? [] : [one])];
  const transactionIds = [...new Set(ids.map((id) => id.toLowerCase()))];
  const named = [transactionIds.length > 0, blockId !== null, fileId !== null].filter(Boolean).length;
  const problem = problemOfTarget(action, dismiss, named, transactionIds.length);
  if (problem !== null) throw new FieldErrors({ transaction_id: [problem] });
  const bankFee = fee === null ? null : must(parseAmount(fee), "an amount that the schema has read");
  return { action, transactionIds, blockId, fileId, bankFee, acceptAmount, note };
}

function problemOfTarget(
  action: ResolveInput["action"],
  dismiss: boolean,
  named: number,
  transactions: number,
): string | null {
  const either = "Set either transaction_id or dismiss: true.";
  if (action === "dismiss") return named === 0 ? null : either;
  if (dismiss) return either;
  if (action === "reject" && named === 0) return null;
  if (action === "settle" || action === "part" || action === "reject") {
    return named === 1 ? null : "Set one of transaction_id, transaction_ids, block_id and file_id.";
  }
  return named === 1 && transactions === 1 ? null : either;
}

/** What an entry contains besides its amount and day. */
interface Facts {
  readonly kind?: string;
  readonly ids?: {
    readonly references: readonly string[];
    readonly mandateReference: string | null;
    readonly others?: readonly string[];
  };
  readonly block?: { readonly blockId: string | null; readonly messageId: string | null } | null;
  readonly why?: { readonly code: string | null; readonly message: string | null };
}

/** The names in an entry. */
export interface Names {
  readonly references: readonly string[];
  readonly mandateReference: string | null;
  readonly reasonCode: string | null;
  readonly reasonMessage: string | null;
  /** Whether it rejects a whole block or file. */
  readonly rejectsBlock: boolean;
}

export function unmatchedNames(row: Pick<UnmatchedRow, "facts">): Names {
  const { kind, ids, block, why } = row.facts as Facts;
  const given = [...(ids?.references ?? []), block?.blockId, block?.messageId];
  const named = given.filter((name) => typeof name === "string");
  return {
    references: named.length > 0 ? named : (ids?.others ?? []),
    mandateReference: ids?.mandateReference ?? null,
    reasonCode: why?.code ?? null,
    reasonMessage: why?.message ?? null,
    rejectsBlock: kind === "block_reject",
  };
}

/** The record of the management API. */
export function shownUnmatched(row: UnmatchedRow): object {
  const names = unmatchedNames(row);
  const { id, gateway_id, file_id, entry, kind, why, amount, bank_fee, booked_on, status, resolution } = row;
  return {
    id,
    gateway_id,
    file_id,
    entry,
    kind,
    why,
    amount,
    bank_fee,
    booked_on,
    references: names.references,
    mandate_reference: names.mandateReference,
    reason_code: names.reasonCode,
    reason_message: names.reasonMessage,
    status,
    resolution,
    resolved_at: row.resolved_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
