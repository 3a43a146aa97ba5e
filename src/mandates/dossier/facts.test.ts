import assert from "node:assert/strict";
import test from "node:test";
import { NOTICE, SHOWN, SIGNED } from "../../../tests/support/signed-mandate.ts";
import type { ShownAmendment } from "../store.ts";
import { asSigned, lifeOf, type Evidence } from "./facts.ts";
import type { DebitRow, ReturnRow } from "./store.ts";

const NOTHING_BEFORE: ShownAmendment = {
  number: 1,
  kind: "reference",
  at: "2026-03-05T10:00:00+00:00",
  sent_at: null,
  original_reference: null,
  original_creditor_identifier: null,
  original_creditor_name: null,
  original_holder_name: null,
  original_iban_country: null,
  original_iban_last4: null,
  same_bank: null,
  accepted_ip: null,
  text_version: null,
};

const UNKNOWN_BANK = { bic: null, bank_name: null };

/** What each amendment kept of the mandate before it, and in what the mandate as signed differs from today's. */
for (const [what, amendments, differs] of [
  ["reference", [{ kind: "reference", original_reference: "OLD-1" }], { reference: "OLD-1" }],
  ["account holder", [{ kind: "holder", original_holder_name: "Grace" }], { holder_name: "Grace" }],
  [
    "creditor",
    [{ kind: "creditor", original_creditor_name: "Old Shop", original_creditor_identifier: "DE02ZZZ0123" }],
    { creditor_name: "Old Shop", creditor_identifier: "DE02ZZZ0123" },
  ],
  [
    "creditor's name alone",
    [{ kind: "creditor", original_creditor_name: "Old Shop" }],
    { creditor_name: "Old Shop" },
  ],
  [
    "creditor's identifier alone",
    [{ kind: "creditor", original_creditor_identifier: "DE02ZZZ0123" }],
    { creditor_identifier: "DE02ZZZ0123" },
  ],
  [
    "account",
    [{ kind: "account", original_iban_country: "NL", original_iban_last4: "4300" }],
    { iban_country: "NL", iban_last4: "4300", ...UNKNOWN_BANK },
  ],
  ["account, which is unknown,", [{ kind: "account" }], { iban_last4: "XXXX", ...UNKNOWN_BANK }],
  [
    "reference, replaced twice,",
    [
      { kind: "reference", original_reference: "OLD-2" },
      { kind: "reference", original_reference: "OLD-1" },
    ],
    { reference: "OLD-1" },
  ],
] as const satisfies readonly (readonly [string, readonly Partial<ShownAmendment>[], object])[])
  test(`a mandate as signed has the ${what} of before its amendments`, () => {
    const mandate = { ...SIGNED, amendments: amendments.map((kept) => ({ ...NOTHING_BEFORE, ...kept })) };
    assert.deepEqual(asSigned(mandate), { ...mandate, ...differs });
  });

const DEBIT: DebitRow = {
  id: "00000000-0000-4000-8000-000000000005",
  reference: "P-1",
  original_reference: null,
  type: "sdd_sale",
  status: "approved",
  amount: "29.90",
  currency: "EUR",
  sequence_type: "FRST",
  subscription_id: null,
  cycle: null,
  error_code: null,
  gateway_code: null,
  created_at: new Date("2026-03-05T10:00:00Z"),
  processed_at: new Date("2026-03-06T10:00:00Z"),
  file_at: null,
  file_message_id: null,
  due_date: null,
};
const REFUND: DebitRow = { ...DEBIT, reference: "R-1", original_reference: "P-1", type: "sdd_refund" };
const RETURN: ReturnRow = {
  id: "00000000-0000-4000-8000-000000000006",
  reference: "P-1",
  amount: "29.90",
  currency: "EUR",
  reason_code: "MD06",
  report_date: new Date("2026-03-07T10:00:00Z"),
  withdrawn_on: null,
};
const CREATED = "2026-03-05T10:00:00.000Z";
const PROCESSED = "2026-03-06T10:00:00.000Z";
const RETURNED = "2026-03-07T10:00:00.000Z";
const SENT = new Date("2026-03-05T12:00:00Z");
const DEBITED = [CREATED, "debit", "Debit P-1 of 29.90 EUR"] as const;
const SETTLED = [PROCESSED, "settled", "Settled: 29.90 EUR, P-1"] as const;
const REFUNDED = [CREATED, "refund", "Refund R-1 of 29.90 EUR for P-1"] as const;
const REJECTED = { status: "declined", error_code: "invalid_iban", gateway_code: "AC01" } as const;
const CAME_BACK = [RETURNED, "returned", "Returned by the bank: 29.90 EUR of P-1 (MD06)"] as const;

const TOLD_AT = "2026-03-21T10:00:00.000Z";
const TOLD = { ...NOTICE, told_at: new Date(TOLD_AT) };
const ANNOUNCED = [
  "2026-03-20T10:00:00.000Z",
  "notice",
  "Notice of 29.90 EUR on 2026-04-02, then MONTHLY",
] as const;
const CANCELLED = { ...SIGNED, cancelled_at: new Date("2026-03-09T10:00:00Z") };
const ENDED = "2026-03-09T10:00:00.000Z";

function amendedBy(change: Partial<ShownAmendment>): Evidence["mandate"] {
  return { ...SIGNED, amendments: [{ ...NOTHING_BEFORE, ...change }] };
}

type Moved = Partial<Pick<Evidence, "debits" | "mandate" | "notices" | "returns">>;
type Told = readonly (readonly [at: string, kind: string, text: string])[];

function evidenceOf(changes: Partial<Evidence>): Evidence {
  return {
    mandate: SIGNED,
    around: { tenant_id: "t", tenant_name: "Shop", page_id: null, erased_at: null },
    shown: SHOWN,
    notices: [],
    debits: [],
    returns: [],
    presentation: null,
    ...changes,
  };
}

const SIGNED_AT = "2026-03-04T10:00:00.123Z";

for (const [what, changes, at, text, page] of [
  [
    "by the box",
    {},
    SIGNED_AT,
    "Accepted by ticking the box next to its text: MND-1 from 192.0.2.1",
    "payment page",
  ],
  [
    "by paying, from nowhere on record",
    { acceptance_mode: "IMPLICIT", accepted_ip: null },
    SIGNED_AT,
    "Accepted by paying: MND-1",
    "payment page",
  ],
  [
    "on the merchant's page",
    { text_version: "merchant" },
    SIGNED_AT,
    "Accepted by ticking the box next to its text: MND-1 from 192.0.2.1",
    "the merchant's own",
  ],
  [
    "elsewhere, of which the day is known",
    { acceptance_mode: null, accepted_ip: null },
    "2026-03-04",
    "Signed elsewhere: MND-1",
    null,
  ],
] as const satisfies readonly (readonly [
  string,
  Partial<Evidence["mandate"]>,
  string,
  string,
  string | null,
])[])
  test(`a dossier says of a signature ${what} when, how and where it was given`, () => {
    const [signed] = lifeOf(evidenceOf({ mandate: { ...SIGNED, ...changes } }));
    assert.deepEqual([signed?.at, signed?.kind, signed?.text], [at, "signed", text]);
    assert.equal(signed?.facts["page"], page);
  });

test("facts are listed by their time; those of one instant as they follow from each other, and then by id", () => {
  const at = DEBIT.created_at;
  const debits = [
    { ...REFUND, created_at: at, processed_at: at },
    { ...DEBIT, reference: "P-2", processed_at: new Date("2026-03-08T10:00:00Z") },
    { ...DEBIT, reference: "P-1", processed_at: at },
    { ...DEBIT, reference: "P-0", created_at: new Date("2026-03-05T11:00:00Z") },
  ];
  const returns = [{ ...RETURN, report_date: at }];
  const mandate = { ...SIGNED, cancelled_at: at };
  const facts = lifeOf(evidenceOf({ mandate, debits, returns }));
  assert.deepEqual(
    facts.map(({ kind, id }) => `${kind} ${id.slice(-3)}`),
    [
      "signed 001",
      "debit P-1",
      "debit P-2",
      "settled P-1",
      "returned 006",
      "refund R-1",
      "refund_paid R-1",
      "ended 001",
      "debit P-0",
      "settled P-0",
      "settled P-2",
    ],
  );
});

/** What a dossier says of whatever happens with a mandate. The texts are compared with those of former dossiers. */
for (const [what, moved, told] of [
  ["an open debit", { debits: [{ ...DEBIT, status: "pending" }] }, [DEBITED]],
  ["a settled debit", { debits: [DEBIT] }, [DEBITED, SETTLED]],
  ["a refunded debit", { debits: [{ ...DEBIT, status: "refunded" }] }, [DEBITED, SETTLED]],
  ["a charged-back debit", { debits: [{ ...DEBIT, status: "charged_back" }] }, [DEBITED, SETTLED]],
  [
    "a settled debit without a time of its outcome",
    { debits: [{ ...DEBIT, processed_at: null }] },
    [DEBITED, [CREATED, SETTLED[1], SETTLED[2]]],
  ],
  [
    "a refused debit",
    { debits: [{ ...DEBIT, ...REJECTED }] },
    [DEBITED, [PROCESSED, "declined", "Refused: P-1 (invalid_iban, AC01)"]],
  ],
  [
    "a refused debit without the bank's code",
    { debits: [{ ...DEBIT, ...REJECTED, gateway_code: null }] },
    [DEBITED, [PROCESSED, "declined", "Refused: P-1 (invalid_iban)"]],
  ],
  [
    "a debit in a file",
    {
      debits: [
        { ...DEBIT, status: "pending", file_at: SENT, file_message_id: "M-1", due_date: "2026-03-09" },
      ],
    },
    [DEBITED, ["2026-03-05T12:00:00.000Z", "in_file", "In the bank's file M-1, due on 2026-03-09: P-1"]],
  ],
  [
    "a debit in a file without a day",
    { debits: [{ ...DEBIT, status: "pending", file_at: SENT, file_message_id: "M-1" }] },
    [DEBITED, ["2026-03-05T12:00:00.000Z", "in_file", "In the bank's file M-1, due on a day not set: P-1"]],
  ],
  ["an open refund", { debits: [{ ...REFUND, status: "pending" }] }, [REFUNDED]],
  ["a refused refund", { debits: [{ ...REFUND, status: "declined" }] }, [REFUNDED]],
  ["a paid refund", { debits: [REFUND] }, [REFUNDED, [PROCESSED, "refund_paid", "Refunded: 29.90 EUR, R-1"]]],
  [
    "a paid refund without a time of its outcome",
    { debits: [{ ...REFUND, processed_at: null }] },
    [REFUNDED, [CREATED, "refund_paid", "Refunded: 29.90 EUR, R-1"]],
  ],
  ["a return", { returns: [RETURN] }, [CAME_BACK]],
  [
    "a return without a reason",
    { returns: [{ ...RETURN, reason_code: null }] },
    [[RETURNED, "returned", "Returned by the bank: 29.90 EUR of P-1 (no reason given)"]],
  ],
  [
    "a return that the bank took back",
    { returns: [{ ...RETURN, withdrawn_on: "2026-03-08" }] },
    [CAME_BACK, ["2026-03-08", "return_withdrawn", "The bank took the return of P-1 back"]],
  ],
  [
    "another reference",
    { mandate: amendedBy({ original_reference: "OLD-1" }) },
    [[CREATED, "amended", "Amended: the reference was OLD-1"]],
  ],
  [
    "another account holder",
    { mandate: amendedBy({ kind: "holder", original_holder_name: "Grace" }) },
    [[CREATED, "amended", "Amended: the account holder was Grace"]],
  ],
  [
    "another creditor",
    {
      mandate: amendedBy({
        kind: "creditor",
        original_creditor_name: "Old Shop",
        original_creditor_identifier: "DE02ZZZ0123",
      }),
    },
    [[CREATED, "amended", "Amended: the creditor was Old Shop, DE02ZZZ0123"]],
  ],
  [
    "a creditor's other name",
    { mandate: amendedBy({ kind: "creditor", original_creditor_name: "Old Shop" }) },
    [[CREATED, "amended", "Amended: the creditor was Old Shop"]],
  ],
  [
    "another account",
    { mandate: amendedBy({ kind: "account", original_iban_country: "NL", original_iban_last4: "4300" }) },
    [[CREATED, "amended", "Amended: the account was NL…4300"]],
  ],
  [
    "an account that replaced an unknown one",
    { mandate: amendedBy({ kind: "account" }) },
    [[CREATED, "amended", "Amended: the account was another one"]],
  ],
  [
    "an account that the customer gave",
    { mandate: amendedBy({ kind: "account", accepted_ip: "192.0.2.1", text_version: "2026-11-1/de" }) },
    [
      [
        CREATED,
        "amended",
        "Amended: the account was another one; accepted by the customer from the address 192.0.2.1, text 2026-11-1/de",
      ],
    ],
  ],
  [
    "the bank's confirmation",
    { mandate: { ...SIGNED, bank_confirmed_on: "2026-03-06" } },
    [["2026-03-06", "confirmed", "Confirmed by the debtor's bank"]],
  ],
  ["a notice that has not been given", { notices: [NOTICE] }, [ANNOUNCED]],
  [
    "a notice of a single debit",
    { notices: [{ ...NOTICE, billing_frequency: null }] },
    [[ANNOUNCED[0], ANNOUNCED[1], "Notice of 29.90 EUR on 2026-04-02"]],
  ],
  [
    "a notice by e-mail",
    { notices: [TOLD] },
    [
      ANNOUNCED,
      [TOLD_AT, "told", "Told by e-mail to ada@example.com: 29.90 EUR on 2026-04-02, then MONTHLY"],
    ],
  ],
  [
    "a notice by e-mail to an erased customer",
    { notices: [{ ...TOLD, recipient: null }] },
    [
      ANNOUNCED,
      [TOLD_AT, "told", "Told by e-mail to an address that is erased: 29.90 EUR on 2026-04-02, then MONTHLY"],
    ],
  ],
  [
    "a notice by the merchant",
    { notices: [{ ...TOLD, told_by: "event" }] },
    [
      ANNOUNCED,
      [
        TOLD_AT,
        "told",
        "Told by the merchant's server, which took the event: 29.90 EUR on 2026-04-02, then MONTHLY",
      ],
    ],
  ],
  ["an end", { mandate: CANCELLED }, [[ENDED, "ended", "Ended by the creditor"]]],
  [
    "an end by the bank, with its reason",
    { mandate: { ...CANCELLED, cancelled_by: "bank", status_reason: "MD01" } },
    [[ENDED, "ended", "Ended by the bank (MD01)"]],
  ],
] as const satisfies readonly (readonly [string, Moved, Told])[])
  test(`a dossier says of ${what} what has happened, and when`, () => {
    const [signed, ...said] = lifeOf(evidenceOf(moved));
    assert.equal(signed?.kind, "signed");
    assert.deepEqual(
      said.map(({ at, kind, text }) => [at, kind, text]),
      told,
    );
  });
