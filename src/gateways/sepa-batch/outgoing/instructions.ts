/** Waiting instructions as written into a file, with the current mandate, account and account holder. */
import { isDeepStrictEqual } from "node:util";
import type { Deps } from "../../../deps.ts";
import { openFormerIban, openIban } from "../../../mandates/account.ts";
import type { Scheme } from "../../../mandates/creditor.ts";
import { debtorContext, type Debtor } from "../adapter.ts";
import { checkCreditorIdentifier } from "../../../sepa/creditor-identifier.ts";
import { must } from "../../../lib/assert.ts";
import type { IsoDate } from "../../../lib/dates.ts";
import { centsFromDatabase } from "../../../lib/money.ts";
import {
  hasAddresses,
  hasCity,
  needsAddress,
  type Address,
  type Amendment,
  type FileCollection,
  type CreditorIdentity,
  type DirectDebitVersion,
  type SequenceType,
} from "../../../sepa/messages/direct-debit-file.ts";
import { SepaFileRefused } from "../../../sepa/messages/file-rules.ts";
import { hasLetter, toSepaText } from "../../../sepa/messages/text.ts";
import type { Transfer } from "../../../sepa/messages/pain001.ts";
import type { AmendmentRow, Placed, WaitingRow } from "./store.ts";

/** An instruction with everything that its file contains about it. */
export interface Instruction {
  readonly row: WaitingRow;
  readonly sequenceType: SequenceType;
  readonly debtor: Debtor;
  /** Sealed; null if unchanged since it was accepted. */
  readonly sealedDebtor: Buffer | null;
  readonly name: string;
  readonly announced: Announced | null;
}

/** The mandate's amendments to report to the bank, and the number of the last. */
interface Announced {
  /** Null if the bank never knew the changed values. */
  readonly amendment: Amendment | null;
  readonly upTo: number;
}

/**
 * Prepares a waiting instruction.
 * @param amendments of its mandate that the bank does not know, in order.
 * @param first sequence type of a mandate's first debit: FRST only where the bank requires it.
 * @throws Error when something sealed cannot be opened.
 */
export function instructionOf(
  deps: Pick<Deps, "keys">,
  tenant: number,
  row: WaitingRow,
  amendments: readonly AmendmentRow[],
  first: "FRST" | "RCUR",
): Instruction {
  const accepted = acceptedDebtor(deps, tenant, row);
  const debtor = debtorOfToday(deps, tenant, row, accepted);
  const changed = debtor.iban !== accepted.iban;
  return {
    row,
    sequenceType: !row.recurring ? "OOFF" : row.mandate_unused ? first : "RCUR",
    debtor,
    sealedDebtor: changed
      ? deps.keys.seal(tenant, debtorContext(row.reference), JSON.stringify(debtor))
      : null,
    name: row.refund_of === null ? (row.holder_name ?? row.debtor_name) : row.debtor_name,
    announced: announcementOf(deps, tenant, amendments, {
      ...creditorAsTold(row.creditor_name, row.creditor_identifier),
      originalAccount: { sameBank: true, iban: debtor.iban },
    }),
  };
}

/** The debtor as accepted; for a refund the debited account, which is sealed under that debit's reference. */
function acceptedDebtor(deps: Pick<Deps, "keys">, tenant: number, row: WaitingRow): Debtor {
  const context = debtorContext(row.refund_of ?? row.reference);
  const plain = deps.keys.open(tenant, context, must(row.debtor, "the account of an instruction"));
  return JSON.parse(plain.toString()) as Debtor;
}

/** The debtor to write: a refund goes to the debited account, a debit to the mandate's current account. */
function debtorOfToday(deps: Pick<Deps, "keys">, tenant: number, row: WaitingRow, debtor: Debtor): Debtor {
  if (row.refund_of !== null || row.mandate_id === null || row.iban_sealed === null) return debtor;
  const iban = openIban(deps, { tenant, id: row.mandate_id, iban_sealed: row.iban_sealed });
  return iban === debtor.iban ? debtor : { ...debtor, iban, bic: null };
}

/**
 * The instruction for pain.008.
 * @param day the day on which the file is written.
 * @throws SepaFileRefused where an address is required and missing.
 */
export function collectionOf(
  { row, debtor, name, announced }: Instruction,
  day: IsoDate,
  version: DirectDebitVersion,
): FileCollection {
  return {
    endToEndId: row.reference,
    // Some banks return only this id, so both are the same.
    instructionId: row.reference,
    amount: centsFromDatabase(row.amount),
    mandate: {
      reference: row.mandate_reference,
      signedOn: row.mandate_signed_on ?? day,
      amendment: announced?.amendment ?? null,
    },
    debtor: {
      name,
      iban: debtor.iban,
      bic: bicOf(debtor),
      address: addressOf(row.reference, debtor, version),
    },
    remittance: row.remittance,
  };
}

export function transferOf({ row, debtor, name }: Instruction): Transfer {
  return {
    endToEndId: row.reference,
    instructionId: row.reference,
    amount: centsFromDatabase(row.amount),
    creditor: { name, iban: debtor.iban, bic: bicOf(debtor) },
    remittance: row.remittance,
  };
}

/** The BIC, only where banks still require one: a wrong BIC causes a return. */
function bicOf({ iban, bic }: Debtor): string | null {
  return needsAddress(iban.slice(0, 2)) ? bic : null;
}

const NO_ADDRESSES =
  "the account's bank is outside the European Economic Area, and files of this version have no address fields";
const NO_CITY =
  "the account's bank is outside the European Economic Area, and the account holder's city is unknown";

/** The address, only where the scheme requires it: banks get no unnecessary data. */
function addressOf(
  reference: string,
  { iban, address }: Debtor,
  version: DirectDebitVersion,
): Address | null {
  if (!needsAddress(iban.slice(0, 2))) return null;
  if (!hasAddresses(version)) throw new SepaFileRefused("address", reference, NO_ADDRESSES);
  if (address === null || !hasCity(address)) throw new SepaFileRefused("address", reference, NO_CITY);
  const { street, postalCode, city, country } = address;
  return { street, buildingNumber: null, postalCode, city, country };
}

/**
 * What the books record about an instruction in a file.
 * @param as of a debit: the scheme and creditor in the file.
 */
export function placedOf(
  { row, sealedDebtor, name, announced, sequenceType }: Instruction,
  blockId: string,
  as: { readonly scheme: Scheme; readonly creditor: CreditorIdentity } | null,
): Placed {
  return {
    reference: row.reference,
    block_id: blockId,
    sequence_type: as === null ? null : sequenceType,
    mandate_id: as === null ? null : row.mandate_id,
    mandate_reference: row.mandate_reference,
    amended_up_to: as === null ? null : (announced?.upTo ?? null),
    debtor_name: name,
    debtor: sealedDebtor === null ? null : `\\x${sealedDebtor.toString("hex")}`,
    scheme: as?.scheme ?? null,
    creditor_name: as?.creditor.name ?? null,
    creditor_identifier: as?.creditor.identifier ?? null,
  };
}

/**
 * The amendment to report to the bank: of several, the values before the first, which are the ones that the bank knows.
 * Where that is the present value again, the bank may know another one from a file without an answer: of these the
 * newest is reported.
 * @param present the mandate's present values; a reference is never used again.
 */
function announcementOf(
  deps: Pick<Deps, "keys">,
  tenant: number,
  amendments: readonly AmendmentRow[],
  present: Amendment,
): Announced | null {
  const last = amendments.at(-1);
  if (last === undefined) return null;
  const inFiles = amendments
    .filter((row) => row.in_file)
    .toReversed()
    .map(({ number }) => amendments.filter((later) => later.number > number))
    .map((later) => ({ ...present, ...valuesBefore(deps, tenant, later) }));
  const known = valuesBefore(deps, tenant, amendments);
  const names = Object.keys(known) as (keyof Amendment)[];
  const reported = names.flatMap((name) => {
    const others = [known, ...inFiles].map((values) => values[name]);
    const former = others.find((value) => !isDeepStrictEqual(value, present[name]));
    return former === undefined ? [] : [[name, former] as const];
  });
  return { amendment: reported.length > 0 ? Object.fromEntries(reported) : null, upTo: last.number };
}

/** The values before the first of these amendments, of each kind. */
function valuesBefore(
  deps: Pick<Deps, "keys">,
  tenant: number,
  amendments: readonly AmendmentRow[],
): Amendment {
  let values: Amendment = {};
  for (const row of amendments) {
    const moved = row.kind === "account" && row.same_bank !== true;
    const account = moved ? { originalAccount: { sameBank: false } as const } : {};
    values = { ...amendmentOf(deps, tenant, row), ...values, ...account };
  }
  return values;
}

function amendmentOf(deps: Pick<Deps, "keys">, tenant: number, row: AmendmentRow): Amendment {
  switch (row.kind) {
    case "reference":
      return { originalReference: must(row.original_reference, "the reference of before") };
    case "creditor":
      return creditorAsTold(row.original_creditor_name, row.original_creditor_identifier);
    case "account": {
      if (row.same_bank !== true || row.original_iban_sealed === null)
        return { originalAccount: { sameBank: false } };
      const amendment = { tenant, mandateId: row.mandate_id, number: row.number };
      const iban = openFormerIban(deps, amendment, row.original_iban_sealed);
      return { originalAccount: { sameBank: true, iban } };
    }
  }
}

/** A creditor as files have named it; one that no file could contain was never reported, so the bank does not know it. */
function creditorAsTold(name: string | null, identifier: string | null): Amendment {
  const was = checkCreditorIdentifier(identifier ?? "");
  const named = name !== null && hasLetter(toSepaText(name));
  if (!named && !was.valid) return {};
  return {
    originalCreditor: {
      ...(named ? { name } : {}),
      ...(was.valid ? { identifier: was.identifier } : {}),
    },
  };
}
