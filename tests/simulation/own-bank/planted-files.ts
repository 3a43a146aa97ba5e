/** Former bugs of the service around the bank's files, put back; `planted.ts` has others. */
import { bug, type Change } from "../../planted/at-the-bank.ts";
import { guarded } from "../../planted/guarded.ts";
import type { PlantedBug } from "../planted.ts";

const AGREEMENT = "tests/creditors/agreement.test.ts";
const BATCH = "tests/sepa/batch.test.ts";
const RESOLUTIONS = "tests/sepa/resolutions.test.ts";
const RETURNS = "tests/sepa/returns.test.ts";

/** A file names the account's own creditor, whatever its mandates name. */
const ACCOUNTS_OWN_CREDITOR: Change = {
  file: "gateways/sepa-batch/outgoing/blocks.ts",
  from: "if (row === undefined || row.refund_of !== null) return own;",
  to: "if (row === undefined || row.reference.length > 0) return own;",
};
const ACCOUNTS_OWN_SCHEME: Change = {
  file: "gateways/sepa-batch/outgoing/blocks.ts",
  from: "return row.refund_of === null ? (row.scheme ?? scheme) : scheme;",
  to: "return row.reference.length > 0 ? scheme : (row.scheme ?? scheme);",
};

const THE_MANDATE: readonly PlantedBug[] = [
  guarded(
    bug(
      1,
      "a mandate is signed as CORE at an account between businesses, which debits it as B2B",
      { file: "mandates/writes.ts", from: "c.creditor ->> 'scheme',", to: "'CORE'," },
      ACCOUNTS_OWN_SCHEME,
    ),
    [AGREEMENT, "page, record, document and file name one creditor and scheme: a bank account between"],
  ),
  guarded(bug(88, "a mandate is debited in the scheme of the account", ACCOUNTS_OWN_SCHEME), [
    AGREEMENT,
    "the account takes B2B mandates from now on",
  ]),
  guarded(
    bug(
      1,
      "a mandate names the tenant, and the file the account's creditor",
      {
        file: "gateways/records/creditor-store.ts",
        from: "coalesce(g.settings ->> 'creditor_name', n.name)",
        to: "n.name",
      },
      {
        file: "gateways/records/creditor-store.ts",
        from: "coalesce(g.settings ->> 'creditor_identifier', n.creditor_identifier)",
        to: "n.creditor_identifier",
      },
      ACCOUNTS_OWN_CREDITOR,
    ),
    [AGREEMENT, "page, record, document and file name one creditor and scheme: a bank account, the"],
  ),
  guarded(
    bug(1017, "the file names the tenant as the former creditor, without an identifier", {
      file: "mandates/writes.ts",
      from: ":now, 'creditor', m.creditor_identifier, m.creditor_name\n       from mandates m\n      ",
      to: ":now, 'creditor', null, n.name\n       from mandates m join tenants n on n.tenant = :tenant\n",
    }),
    [AGREEMENT, "the account is renamed"],
  ),
  guarded(
    bug(1004, "an amendment by hand leaves out the former creditor's identifier", {
      file: "mandates/amend.ts",
      from: "original_creditor_identifier: before.creditor_identifier,",
      to: "original_creditor_identifier: null,",
    }),
    [AGREEMENT, "amending a mandate's creditor by hand reports the former one to the bank"],
  ),
  guarded(
    bug(1002, "a debit is due by the notice that the account has today, whatever its mandate agrees on", {
      file: "gateways/sepa-batch/adapter.ts",
      from: "agreedDays ?? settings.preNotificationDays);",
      to: "agreedDays === -1 ? agreedDays : settings.preNotificationDays);",
    }),
    [AGREEMENT, "no debit is due before the notice that its mandate agrees on"],
  ),
];

const READING: readonly PlantedBug[] = [
  guarded(
    bug(
      57,
      "a debit with the reason of a return is ignored where its code says nothing",
      {
        file: "gateways/sepa-batch/incoming/apply-items.ts",
        from: '(item.kind === "return" && (item.sure || item.why.code !== null));',
        to: '(item.kind === "return" && item.sure);',
      },
      {
        file: "gateways/sepa-batch/incoming/apply-items.ts",
        from: "if (!namesIn(item.ids).some((name) => ours.has(name))) return",
        to: 'if (item.kind === "return" || !namesIn(item.ids).some((name) => ours.has(name))) return',
      },
    ),
    [
      RETURNS,
      "a debit entry with a reason of return that names only our mandate is a return, whatever its code",
    ],
  ),
  guarded(
    bug(46, "a fee that is booked separately is never added to its chargeback", {
      file: "gateways/sepa-batch/incoming/decide.ts",
      from: 'if (item.kind === "fee") return ofFee(instruction, item, on);',
      to: 'if (item.kind === "fee") return known(null);',
    }),
    [RETURNS, "a fee under our id is not a chargeback"],
  ),
  guarded(
    bug(46, "one unknown return in three files makes three entries for people", {
      file: "gateways/sepa-batch/incoming/report.ts",
      from: "if (names.length === 0) return null;",
      to: "if (names.length >= 0) return null;",
    }),
    [
      RETURNS,
      "an unknown return in camt.052, 054 and 053 is listed once; another of the same day and amount is listed separately",
    ],
  ),
];

const DECISIONS: readonly PlantedBug[] = [
  guarded(
    bug(
      34,
      "a sum that names no block cannot be assigned by a person",
      {
        file: "gateways/sepa-batch/unmatched/resolutions.ts",
        from: 'if (item.kind !== "credit" && item.kind !== "block_credit") {',
        to: 'if (item.kind !== "credit") {',
      },
      {
        file: "gateways/sepa-batch/unmatched/resolutions.ts",
        from: 'if (item.kind === "note") {',
        to: 'if (item.kind === "block_credit" || item.kind === "note") {',
      },
      {
        file: "gateways/sepa-batch/unmatched/resolutions.ts",
        from: 'if (item.kind === "block_credit") return settledBy(',
        to: "if (entered === null) return settledBy(",
      },
    ),
    [RESOLUTIONS, "a collective credit whose id stands only in free text is assigned by hand"],
  ),
  guarded(
    bug(46, "a return of a part that a person applies is a chargeback of the whole", {
      file: "gateways/sepa-batch/unmatched/resolutions.ts",
      from: "return moved > 0 && moved < centsFromDatabase(instruction.amount) ? formatAmount(cents(moved)) : null;",
      to: "return moved < 0 ? formatAmount(cents(moved)) : null;",
    }),
    [RESOLUTIONS, "a partial return is recorded with its own amount, and the rest is still revenue"],
  ),
  guarded(
    bug(46, "a return that the bank withdraws cannot be recorded", {
      file: "gateways/sepa-batch/unmatched/resolutions.ts",
      from: 'instruction.state !== "returned" && !hasEnded',
      to: "!hasEnded",
    }),
    [
      RESOLUTIONS,
      "when the bank withdraws a return, the payment is approved again and the chargeback is marked as withdrawn",
    ],
  ),
  guarded(
    bug(79, "a person who applies another return than the one on record reads that it is known", {
      file: "gateways/sepa-batch/unmatched/resolutions.ts",
      from: "returned !== null && isAnotherReturn(item, returned)) {",
      to: 'returned?.booked_on === "" && isAnotherReturn(item, returned)) {',
    }),
    [RESOLUTIONS, "returned, credited again and returned once more, the first"],
    [RESOLUTIONS, "a return of another day than the recorded one is refused as another return, not as known"],
  ),
  guarded(
    bug(1006, "a return that was booked after its reinstatement counts as another one in each file", {
      file: "gateways/sepa-batch/incoming/decide.ts",
      from: "if (reinstated_on === null) return null;",
      to: "if (reinstated_on === null || on > reinstated_on) return null;",
    }),
    [RESOLUTIONS, "a return that was booked after its reinstatement is known from every file"],
  ),
  guarded(
    bug(
      921,
      "a return on the day of a rejection counts as known, although it takes back money that was credited nevertheless",
      {
        file: "gateways/sepa-batch/incoming/decide.ts",
        from: 'if (on === returned_on && (kind === "reject" || !wasRefused)) {',
        to: "if (on === returned_on) {",
      },
    ),
    [RESOLUTIONS, "a return on the day of the report that rejected the debit takes back the earlier money"],
    [RESOLUTIONS, "after a rejection and a credit on one day, a person decides a return of the same day"],
  ),
];

const WRITING: readonly PlantedBug[] = [
  guarded(
    bug(
      7,
      "an account outside the EEA goes into a file of the old version without its address",
      {
        file: "gateways/sepa-batch/adapter.ts",
        from: 'if (!hasAddresses(settings.messageVersion)) return "AG01";',
        to: "",
      },
      {
        file: "gateways/sepa-batch/outgoing/instructions.ts",
        from: 'if (!hasAddresses(version)) throw new SepaFileRefused("address", reference, NO_ADDRESSES);',
        to: "if (!hasAddresses(version)) return null;",
      },
    ),
    [BATCH, "an account that needs an address is refused where the files have a version without addresses"],
  ),
  guarded(
    bug(5, "a city that no bank can print is accepted, and refused at the cut-off", {
      file: "gateways/sepa-batch/adapter.ts",
      from: 'return hasCity(collection.address) ? null : "BE07";',
      to: 'return collection.address === null ? "BE07" : null;',
    }),
    [BATCH, "a Swiss account needs a city in the SEPA character set"],
  ),
  guarded(
    bug(68, "a mandate is moved to an account outside the EEA though no address is known", {
      file: "mandates/amend.ts",
      from: "if (iban !== null && needsAddress(iban.country)) await refuseWithoutAddress(tx, after);",
      to: "",
    }),
    [BATCH, "a mandate is not moved to a Swiss account"],
  ),
];

/** The simulation cannot notice these, or another check of the service makes them harmless. Only tests find them. */
export const AROUND_FILES_BY_TESTS: readonly PlantedBug[] = [
  // A payment that is declined elsewhere has already been removed from the gateway's books.
  guarded(
    bug(1, "a payment that was declined is sent to the bank nevertheless", {
      file: "gateways/sepa-batch/outgoing/stopped-store.ts",
      from: "when t.status in ('approved', 'declined', 'refunded', 'charged_back') then 'over'",
      to: "when t.status in ('approved', 'refunded', 'charged_back') then 'over'",
    }),
    ["tests/sepa/refunds.test.ts", "a waiting debit whose payment has ended is not written"],
  ),
  guarded(
    bug(1, "a long descriptor pushes the reference out of the text that the customer sees", {
      file: "gateways/sepa-batch/adapter.ts",
      from: "${toSepaText(words, REMITTANCE_CHARS_MAX - reference.length - 1)} ${reference}",
      to: "${words} ${reference}",
    }),
    [BATCH, "the reference stays in the remittance information for a descriptor of any length"],
  ),
  guarded(
    bug(1, "a run before the cut-off counts as the day's run", {
      file: "gateways/sepa-batch/outgoing/write-files.ts",
      from: "lockForRun(tx, tenant, id, { day, isFinal }, now)",
      to: "lockForRun(tx, tenant, id, { day, isFinal: true }, now)",
    }),
    ["tests/sepa/runs.test.ts", "sepa collect before the cut-off writes waiting instructions"],
  ),
  guarded(
    bug(1, "a file that waits for its upload is put off when people deliver its account's files", {
      file: "gateways/sepa-batch/outgoing/send.ts",
      from: "if (mailbox === null) return await giveToPeople(deps, file);",
      to: 'if (mailbox === null) throw new Error("delivered by hand");',
    }),
    ["tests/sepa/transport.test.ts", "a file that waits for its upload is given to a person"],
  ),
  guarded(
    bug(1, "a second fee of a return is lost", {
      file: "gateways/sepa-batch/incoming/changes-store.ts",
      from: "where sepa_news.kind = 'fee'",
      to: "where false",
    }),
    ["tests/sepa/fees-by-hand.test.ts", "a second fee of a return, which a person applies"],
  ),
  guarded(
    bug(1, "a credit counts as known beside the sum of its withdrawn block", {
      file: "gateways/sepa-batch/incoming/apply-items.ts",
      from: "return blocks.flatMap((one) => [one, fileIdOfBlock(one)]);",
      to: "return blocks.slice(0, block === null ? 0 : 1).flatMap((one) => [one, fileIdOfBlock(one)]);",
    }),
    ["tests/sepa/take-back.test.ts", "of the sum of a withdrawn block and a credit of one of its debits"],
  ),
  guarded(
    bug(
      1,
      "the sums of a withdrawn block and of the block in which its debits were sent again count as one",
      {
        file: "gateways/sepa-batch/incoming/blocks-store.ts",
        from: "b.named_file <> :namedFile",
        to: "(b.named_file <> :namedFile and false)",
      },
    ),
    ["tests/sepa/take-back.test.ts", "the sum of a withdrawn block and the sum of the block"],
  ),
  guarded(
    bug(1, "the sums of a block and of its file on two pages count as one", {
      file: "gateways/sepa-batch/incoming/apply-block.ts",
      from: "const onOtherPages = await pages.reportedElsewhere(again);",
      to: "const onOtherPages = await pages.reportedElsewhere([sum]);",
    }),
    [RESOLUTIONS, "the sums of a block and of its whole file on two pages are two sums"],
  ),
  guarded(
    bug(1, "a third like line counts as known where a person has applied the second", {
      file: "gateways/sepa-batch/incoming/report.ts",
      from: "const ALIKE_MAX = 10;",
      to: "const ALIKE_MAX = 1;",
    }),
    [RESOLUTIONS, "a third movement like two of which a person has applied the second"],
  ),
  guarded(
    bug(34, "the pages of a statement are reported as differing from its balances", {
      file: "gateways/sepa-batch/incoming/interpret.ts",
      from: 'if (!isInPages(record.statement, ofMessage) && record.balance === "differs") {',
      to: 'if (record.balance === "differs") {',
    }),
    [RETURNS, "a page is not reported as differing from balances that belong to the whole statement"],
  ),
  guarded(
    bug(1, "a spreadsheet or a compressed file is reported as a wrong encoding", {
      file: "sepa/messages/reading/decode.ts",
      from: "if (format === undefined) return;",
      to: "if (format === undefined || head.length > 0) return;",
    }),
    ["tests/sepa/hostile-files.test.ts", "a file that is not XML is refused with its format"],
  ),
  guarded(
    bug(
      1,
      "an upload is read without a limit",
      { file: "http/upload.ts", from: "files: 1, fileSize }", to: "files: 1 }" },
      {
        file: "http/upload.ts",
        from: "() => (file === null ? 0 : bodyLimit) + FORM_BYTES_MAX,",
        to: "() => Infinity,",
      },
      {
        file: "http/hooks.ts",
        from: 'if (Number(headers["content-length"]) > bodyLimit + FORM_BYTES_MAX) throw tooLarge(bodyLimit);',
        to: "",
      },
    ),
    ["src/http/upload.test.ts", "a file one byte longer is 413"],
    ["src/http/upload.test.ts", "a body in chunks is 413 at the first byte over the limit"],
  ),
  guarded(
    bug(
      1,
      "an upload is answered only when all payments were updated",
      {
        file: "gateways/sepa-batch/incoming/start-news.ts",
        from: "  void follow(deps",
        to: "  return follow(deps",
      },
      {
        file: "gateways/sepa-batch/routes.ts",
        from: "startApplyingNews(deps, tenant);\n        const files",
        to: "await startApplyingNews(deps, tenant);\n        const files",
      },
    ),
    [
      "tests/sepa/following.test.ts",
      "the response to an upload comes once the file is in the books, with the number of payments that are updated afterwards",
    ],
  ),
  guarded(
    bug(1, "a postal code is left out where there is no street", {
      file: "sepa/messages/pain008.ts",
      from: 'optional("PstCd", toSepaText(address.postalCode ?? "", POSTAL_CODE_CHARS_MAX)),',
      to: 'street === "" ? "" : optional("PstCd", toSepaText(address.postalCode ?? "", POSTAL_CODE_CHARS_MAX)),',
    }),
    ["src/sepa/messages/pain008.test.ts", "an address is cut to the length of its fields"],
  ),
  guarded(
    bug(1, "a B2B refund warns of a right that does not exist", {
      file: "gateways/sepa-batch/adapter.ts",
      from: 'if (collected_on === null || scheme === "B2B") return null;',
      to: "if (collected_on === null) return null;",
    }),
    [AGREEMENT, "a B2B refund does not warn of a refund"],
  ),
];

export const PLANTED_AROUND_FILES: readonly PlantedBug[] = [
  ...THE_MANDATE,
  ...READING,
  ...DECISIONS,
  ...WRITING,
];
