/** Amends a mandate. The previous values are kept and reported to the bank with the next collection. */
import { checkIban, DOCUMENTATION_IBAN, isDocumentationIban, type ValidIban } from "../sepa/iban.ts";
import type { MandateRow } from "../db/rows.ts";
import type { Deps } from "../deps.ts";
import { writtenCreditorIdentifier } from "../sepa/creditor-identifier.ts";
import { referenceKey } from "../sepa/mandate-reference.ts";
import type { Tx } from "../db/database.ts";
import { hasCity, needsAddress } from "../sepa/messages/direct-debit-file.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { hasRunBefore, heldMandate, logChange, type MandateCommand } from "./command.ts";
import { BLOCKED_ACCOUNT, isAccountBlocked } from "./blocked-store.ts";
import { accountOf, fingerprintsOf, openIban, sealFormerIban } from "./account.ts";
import { isSameBank } from "./mandate.ts";
import {
  countAmendments,
  findBankDebtor,
  insertAmendment,
  isDebitedLive,
  lockReferences,
  usedReferences,
  writeAmended,
  type NewAmendment,
} from "./amendment-store.ts";

/** The changes; undefined leaves a field unchanged. */
interface Amendment {
  readonly iban?: string | undefined;
  readonly holderName?: string | undefined;
  readonly reference?: string | undefined;
  readonly creditorName?: string | undefined;
  readonly creditorIdentifier?: string | undefined;
  /** The customer's consent to another account, if given on a page of the service. */
  readonly accepted?: { readonly ip: string; readonly textVersion: string } | undefined;
}

/** A valid account that cannot be used for a mandate. */
export class AccountRefused extends FieldErrors {
  readonly why: "example" | "blocked" | "no_address" | "no_address_in_file";

  constructor(why: AccountRefused["why"], words: string) {
    super({ iban: [words] });
    this.why = why;
  }
}

type Change = Omit<NewAmendment, "number" | "at">;

/**
 * Amends reference, account, creditor or holder of an active mandate (SDD rulebook, mandate amendments;
 * docs/mandates.md). Previous values are kept and reported to the bank with the next collection; announced renewals are
 * announced again. A field with the current value changes nothing, and repeating the operation changes nothing.
 * @param writeToo written in the same transaction as a change.
 * @throws FieldErrors with every invalid field; Refusal not_found, mandate_not_active, mandate_reference_taken.
 */
export async function amendMandate(
  deps: Pick<Deps, "banks" | "clock" | "db" | "keys" | "time">,
  command: MandateCommand,
  given: Amendment,
  writeToo: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  const { tenant, id } = command;
  const iban = given.iban === undefined ? null : usableIban(given.iban);
  await deps.db.transaction(async (tx) => {
    if (given.reference !== undefined) await lockReferences(tx, tenant);
    const before = await heldMandate(tx, command);
    if (await hasRunBefore(tx, command)) return;
    if (before.status !== "active") throw new Refusal("mandate_not_active");
    const now = deps.time.now(tenant);
    const first = await countAmendments(tx, tenant, id);
    const [after, changes] = amended(deps, before, given, iban, first);
    const moves = changes.some(({ kind }) => kind === "account");
    if (iban !== null && moves && isDocumentationIban(iban.iban) && (await isDebitedLive(tx, tenant, id)))
      throw new AccountRefused("example", DOCUMENTATION_IBAN);
    if (iban !== null && moves && (await isAccountBlocked(tx, tenant, fingerprintsOf(deps, after))))
      throw new AccountRefused("blocked", BLOCKED_ACCOUNT);
    if (iban !== null && needsAddress(iban.country)) await refuseWithoutAddress(tx, after);
    if (changes.some(({ kind }) => kind === "reference")) await refuseUsed(tx, before, after.reference);
    // Recorded even without a change: the same operation must not change anything later, after others have.
    await logChange(tx, deps, command, { before: audited(before), after: audited(after) });
    if (changes.length === 0) return;
    for (const [index, change] of changes.entries()) {
      await insertAmendment(tx, tenant, id, { ...change, number: first + index + 1, at: now });
    }
    await writeAmended(tx, after, now);
    await writeToo(tx);
  });
}

/**
 * Checks the IBAN.
 * @throws FieldErrors.
 */
function usableIban(text: string): ValidIban {
  const iban = checkIban(text);
  if (!iban.valid) throw new FieldErrors({ iban: [iban.message] });
  if (!iban.sepa)
    throw new FieldErrors({ iban: ["SEPA direct debit is not available in this account's country."] });
  return iban;
}

/**
 * Refuses an account whose bank requires the customer's address, instead of letting the next collection fail.
 * @throws FieldErrors.
 */
async function refuseWithoutAddress(tx: Tx, { tenant, id }: MandateRow): Promise<void> {
  const debtor = await findBankDebtor(tx, tenant, id);
  if (debtor === null || (hasCity(debtor) && !debtor.old_version)) return;
  const [why, words] = debtor.old_version
    ? (["no_address_in_file", "the gateway's files (pain.008.001.02) have no address fields."] as const)
    : ([
        "no_address",
        "the account holder's address is required (at least the city) and is unknown for this customer.",
      ] as const);
  throw new AccountRefused(why, `This account's bank is outside the European Economic Area: ${words}`);
}

/** The mandate after the amendment, and its previous values. The account is sealed under the amendment's number. */
function amended(
  deps: Pick<Deps, "banks" | "keys">,
  before: MandateRow,
  given: Amendment,
  iban: ValidIban | null,
  first: number,
): readonly [MandateRow, readonly Change[]] {
  const changes: Change[] = [];
  let after: MandateRow = before;
  if (given.reference !== undefined && given.reference !== before.reference) {
    changes.push({ kind: "reference", original_reference: before.reference });
    after = { ...after, reference: given.reference };
  }
  const creditor_name = given.creditorName ?? before.creditor_name;
  const creditor_identifier =
    given.creditorIdentifier === undefined
      ? before.creditor_identifier
      : writtenCreditorIdentifier(given.creditorIdentifier);
  if (creditor_name !== before.creditor_name || creditor_identifier !== before.creditor_identifier) {
    changes.push({
      kind: "creditor",
      original_creditor_identifier: before.creditor_identifier,
      original_creditor_name: before.creditor_name,
    });
    after = { ...after, creditor_name, creditor_identifier };
  }
  const holder_name = given.holderName ?? before.holder_name;
  if (holder_name !== before.holder_name) {
    changes.push({ kind: "holder", original_holder_name: before.holder_name });
    after = { ...after, holder_name };
  }
  const old = iban === null ? null : openIban(deps, before);
  if (iban !== null && old !== null && iban.iban !== old) {
    const number = first + changes.length + 1;
    const { ip = null, textVersion = null } = given.accepted ?? {};
    const evidence = { accepted_ip: ip, text_version: textVersion };
    changes.push({ ...accountChange(deps, before, old, iban, number), ...evidence });
    // The bank of the new account has to confirm the mandate again.
    after = { ...after, ...accountOf(deps, before.tenant, before.id, iban), bank_confirmed_on: null };
  }
  return [after, changes];
}

function accountChange(
  deps: Pick<Deps, "keys">,
  before: MandateRow,
  old: string,
  iban: ValidIban,
  number: number,
): Change {
  const was = checkIban(old);
  return {
    kind: "account",
    original_iban_sealed: sealFormerIban(deps, { tenant: before.tenant, mandateId: before.id, number }, old),
    original_iban_country: before.iban_country,
    original_iban_last4: before.iban_last4,
    same_bank: was.valid && isSameBank(was, iban),
  };
}

/**
 * Refuses a used reference. The mandate's own in another case is allowed.
 * @throws Refusal mandate_reference_taken.
 */
async function refuseUsed(tx: Tx, before: MandateRow, reference: string): Promise<void> {
  const key = referenceKey(reference);
  if (key === referenceKey(before.reference)) {
    throw new FieldErrors({
      reference: ["References ignore case: this is the mandate's current reference."],
    });
  }
  if ((await usedReferences(tx, before.tenant, [key])).has(key)) throw new Refusal("mandate_reference_taken");
}

function audited({
  reference,
  creditor_name,
  creditor_identifier,
  holder_name,
  iban_country,
  iban_last4,
  bank_confirmed_on,
}: MandateRow): object {
  return {
    reference,
    creditor_name,
    creditor_identifier,
    holder_name,
    iban_country,
    iban_last4,
    bank_confirmed_on,
  };
}
