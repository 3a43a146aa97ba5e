/**
 * Whether an entry that waits for a person may be about an instruction: the debit y of a waiting refund x, or a debit x.
 * Shared by all statements that check this (`mayHaveFailed` in src/gateways/sepa-batch/outgoing/stopped-store.ts).
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
const DEBIT: Given = { sepa_collections: { mandate_reference: "Ref", block_id: "block-2" } };

type Cases = Readonly<Record<string, Given>>;

const waits = (entry: object): Given => ({ sepa_unmatched: [{ status: "open", kind: "return", ...entry }] });
const ofMandate = (reference: string): Given =>
  waits({ facts: { ids: { references: [], mandateReference: reference } } });
const refused = (block: object): Given => waits({ kind: "block", facts: { kind: "block_reject", block } });

/** @param reference of the debit. */
// Each case stays on one line or a few.
// prettier-ignore
const inDoubt = (reference: string): Cases => ({
  "of which a return waits for a person": waits({ facts: { ids: { references: [reference] } } }),
  "of which a return waits in part": waits({ status: "part", facts: { ids: { references: [reference] } } }),
  "of which a refusal waits": waits({ kind: "reject", facts: { ids: { references: [reference] } } }),
  "of whose mandate a return waits": ofMandate("rEF"),
  "of whose mandate a return waits under a later reference": {
    ...ofMandate("new"), mandates: { reference: "New" }, mandate_amendments: { original_reference: "Ref" },
  },
  "of whose mandate a return waits under an earlier reference": {
    ...ofMandate("old"), mandates: { reference: "Ref" }, mandate_amendments: { original_reference: "Old" },
  },
  "of whose mandate a return waits under another earlier reference": {
    ...ofMandate("older"), mandates: { reference: "New" },
    mandate_amendments: [{ number: 1, original_reference: "Older" }, { number: 2, original_reference: "Ref" }],
  },
  "of whose mandate a return waits with an id of the bank": waits({ facts: { ids: { references: ["z"], endToEndId: null, mandateReference: "Ref" } } }),
  "whose block was refused": refused({ blockId: "block-2" }),
  "whose block was refused, by the beginning of its name": refused({ blockId: "block" }),
  "whose file was refused": refused({ messageId: "block" }),
});

// prettier-ignore
const notInDoubt = (reference: string): Cases => ({
  "a return was decided": waits({ status: "applied", facts: { ids: { references: [reference] } } }),
  "something else waits": waits({ kind: "fee", facts: { ids: { references: [reference] } } }),
  "another debit's return waits": waits({ facts: { ids: { references: ["z"] } } }),
  "another debit's return waits that names the same mandate": waits({ facts: { ids: { references: ["z"], endToEndId: "z", mandateReference: "Ref" } } }),
  "a return waits that names the same mandate and another collection": {
    ...waits({ facts: { ids: { references: ["z"], endToEndId: null, mandateReference: "Ref" } } }),
    "+sepa_collections": [Y_COLLECTED, { ...Y_COLLECTED, reference: "z" }],
  },
  "another mandate's return waits": ofMandate("y"),
  "a return waits of a mandate that another one was called": {
    ...ofMandate("new"), mandates: { reference: "New" }, "+mandate_amendments": { mandate_id: OTHER, number: 1, original_reference: "Ref" },
  },
  "a return waits of a mandate whose reference another one has": {
    ...ofMandate("old"), "+mandates": { id: OTHER, reference: "Ref" }, mandate_amendments: { original_reference: "Old" },
  },
  "another block was refused": refused({ blockId: "y" }),
  "its block was booked": waits({ kind: "block", facts: { kind: "block", block: { blockId: "block-2" } } }),
});

const named = (cases: Cases, name: (words: string) => string, base: Given): Cases =>
  Object.fromEntries(Object.entries(cases).map(([words, given]) => [name(words), { ...base, ...given }]));

export const IN_DOUBT = named(inDoubt("y"), (words) => `a refund of a debit ${words}`, REFUND);
export const NOT_IN_DOUBT = named(notInDoubt("y"), (words) => `a refund, where ${words}`, REFUND);
export const DEBIT_IN_DOUBT = named(inDoubt("x"), (words) => `a debit ${words}`, DEBIT);
export const DEBIT_NOT_IN_DOUBT = named(notInDoubt("x"), (words) => `a debit, where ${words}`, DEBIT);
