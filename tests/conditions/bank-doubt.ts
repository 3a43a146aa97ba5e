/**
 * Whether an entry that waits for a person may be about the debit y of a waiting refund x. Shared by all statements
 * that check this (`IS_IN_DOUBT` in src/gateways/sepa-batch/outgoing/stopped-store.ts).
 */
import { type Given } from "../support/conditions.ts";
import { OTHER } from "./rows.ts";

export const Y_COLLECTED = {
  reference: "y",
  refund_of: null,
  state: "settled",
  file_id: OTHER,
  mandate_reference: "Ref",
  block_id: "block-2",
};
export const REFUND: Given = { sepa_collections: { refund_of: "y" }, "+sepa_collections": Y_COLLECTED };

const waits = (entry: object): Given => ({
  ...REFUND,
  sepa_unmatched: [{ status: "open", kind: "return", ...entry }],
});
const ofMandate = (reference: string): Given =>
  waits({ facts: { ids: { references: [], mandateReference: reference } } });
const refused = (block: object): Given => waits({ kind: "block", facts: { kind: "block_reject", block } });

// Each case stays on one line or a few.
// prettier-ignore
export const IN_DOUBT: Readonly<Record<string, Given>> = {
  "a refund of a debit of which a return waits for a person": waits({ facts: { ids: { references: ["y"] } } }),
  "a refund of a debit of which a return waits in part": waits({ status: "part", facts: { ids: { references: ["y"] } } }),
  "a refund of a debit of which a refusal waits": waits({ kind: "reject", facts: { ids: { references: ["y"] } } }),
  "a refund of a debit of whose mandate a return waits": ofMandate("rEF"),
  "a refund of a debit of whose mandate a return waits under a later reference": {
    ...ofMandate("new"), mandates: { reference: "New" }, mandate_amendments: { original_reference: "Ref" },
  },
  "a refund of a debit of whose mandate a return waits under an earlier reference": {
    ...ofMandate("old"), mandates: { reference: "Ref" }, mandate_amendments: { original_reference: "Old" },
  },
  "a refund of a debit of whose mandate a return waits under another earlier reference": {
    ...ofMandate("older"), mandates: { reference: "New" },
    mandate_amendments: [{ number: 1, original_reference: "Older" }, { number: 2, original_reference: "Ref" }],
  },
  "a refund of a debit whose block was refused": refused({ blockId: "block-2" }),
  "a refund of a debit whose block was refused, by the beginning of its name": refused({ blockId: "block" }),
  "a refund of a debit whose file was refused": refused({ messageId: "block" }),
};

// prettier-ignore
export const NOT_IN_DOUBT: Readonly<Record<string, Given>> = {
  "a refund, where a return was decided": waits({ status: "applied", facts: { ids: { references: ["y"] } } }),
  "a refund, where something else waits": waits({ kind: "fee", facts: { ids: { references: ["y"] } } }),
  "a refund, where another debit's return waits": waits({ facts: { ids: { references: ["z"] } } }),
  "a refund, where another debit's return waits that names the same mandate": waits({ facts: { ids: { references: ["z"], mandateReference: "Ref" } } }),
  "a refund, where another mandate's return waits": ofMandate("y"),
  "a refund, where a return waits of a mandate that another one was called": {
    ...ofMandate("new"), mandates: { reference: "New" }, "+mandate_amendments": { mandate_id: OTHER, number: 1, original_reference: "Ref" },
  },
  "a refund, where a return waits of a mandate whose reference another one has": {
    ...ofMandate("old"), "+mandates": { id: OTHER, reference: "Ref" }, mandate_amendments: { original_reference: "Old" },
  },
  "a refund, where another block was refused": refused({ blockId: "y" }),
  "a refund, where its block was booked": waits({ kind: "block", facts: { kind: "block", block: { blockId: "block-2" } } }),
};
