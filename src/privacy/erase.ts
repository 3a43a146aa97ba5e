/** Erases a customer: the person's data is erased everywhere, the records of the money stay (docs/decisions/0033). */
import { eraseStoredAnswers } from "../db/erase-answers.ts";
import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { debtorContext, type Debtor } from "../gateways/sepa-batch/adapter.ts";
import { contentOf, lockReading } from "../gateways/sepa-batch/files-store.ts";
import { eraseBankBooks, eraseUnmatched, putPiece } from "../gateways/sepa-batch/erase-store.ts";
import { contextOfPiece, pack, unpack } from "../gateways/sepa-batch/pack.ts";
import { eraseSandboxBooks } from "../gateways/sandbox/erase-store.ts";
import { eraseActivities } from "../integrations/erase-store.ts";
import { hasRun, writeEntry, type Author } from "../management/audit/audit.ts";
import { lockChain } from "../management/audit/chain-store.ts";
import { eraseEntry } from "../management/audit/erase-store.ts";
import { openFormerIban, openIban, sealIban } from "../mandates/account.ts";
import { eraseMandate } from "../mandates/erase-store.ts";
import { erasePayments, eraseRejections, eraseSetAside } from "../payments/erase-store.ts";
import { eraseMessages } from "../messages/erase-store.ts";
import { Refusal } from "../refusals.ts";
import { eraseLead, lockCustomer, type CustomerRow } from "../sessions/erase-store.ts";
import { eraseCancelReasons, eraseNotices } from "../subscriptions/erase-store.ts";
import { eraseReceiverAnswers, eraseEvent, lockReceivers, isBeingSent } from "../webhooks/erase-store.ts";
import { withoutPersonInFile } from "./bank-file.ts";
import {
  ERASED,
  patternOf,
  containsAny,
  spellingsOf,
  spellingsOfIban,
  withoutPersonInJson,
  withoutPerson,
  wordsOf,
  type Known,
} from "./erased.ts";
import {
  amendmentsOf,
  auditedOf,
  eventsOf,
  filesOf,
  findHolds,
  importsOf,
  lockPayments,
  mandatesOf,
  namesOf,
  recordsOf,
  sharedWithOthers,
  unmatchedOf,
  type ErasureHolds,
} from "./store.ts";

type Parts = Pick<Deps, "clock" | "db" | "ids" | "keys" | "mandateEvidenceMonths" | "time">;

interface EraseCommand {
  readonly tenant: number;
  readonly id: string;
  /** Erases even if a mandate may still have to be shown to the debtor's bank. */
  readonly giveUpEvidence: boolean;
  /** Drawn once per operation: the audit entry's id. */
  readonly operationId: string;
  readonly author: Author;
}

/** Why a customer cannot be erased yet, for the refusal. */
const UNDER_WAY: Readonly<Record<keyof Omit<ErasureHolds, "collected_at">, string>> = {
  session: "a payment session is open: cancel it, or wait until it expires",
  payment: "a payment or refund is not settled",
  subscription: "a subscription is not cancelled",
  mandate: "a mandate is being signed",
  bank: "an instruction is on its way to the bank or back",
};

/**
 * Erases the customer completely or not at all. Another erasure erases what has been added since, for example by a
 * return in a bank's file; the same operation again erases nothing.
 * @returns when the customer was first erased.
 * @throws Refusal not_found, customer_in_use, evidence_kept.
 */
export function eraseCustomer(deps: Parts, command: EraseCommand): Promise<Date> {
  const { tenant, id } = command;
  return deps.db.transaction(async (tx) => {
    // No file is read and no entry chained in the meantime; payments of the person wait.
    await lockChain(tx, tenant);
    await lockReading(tx, tenant);
    const customer = await lockCustomer(tx, tenant, id);
    if (customer === null) throw new Refusal("not_found");
    const operation = { tenant, id: command.operationId, resource: "customers", resourceId: id };
    if (customer.erased_at !== null && (await hasRun(tx, command.author, operation)))
      return customer.erased_at;
    await lockPayments(tx, tenant, id, customer.email_key);
    const held = await findHolds(tx, tenant, id, customer.email_key);
    refuseUnderWay(held);
    if (customer.erased_at === null && !command.giveUpEvidence) refuseEvidence(deps, tenant, held);
    const at = customer.erased_at ?? deps.time.now(tenant);
    const entries = await eraseAll(deps, tx, tenant, customer, at);
    await writeEntry(tx, command.author, {
      ...operation,
      at: deps.clock.now(),
      action: "erase",
      before: null,
      after: {
        erased_at: at.toISOString(),
        evidence_given_up: command.giveUpEvidence,
        erased_entries: entries,
      },
    });
    return at;
  });
}

function refuseUnderWay(held: ErasureHolds): void {
  const open = Object.entries(UNDER_WAY).flatMap(([what, words]) =>
    held[what as keyof typeof UNDER_WAY] ? [words] : [],
  );
  if (open.length > 0) throw inUse(open.join("; "));
}

function inUse(why: string): Refusal {
  return new Refusal("customer_in_use", { detail: `This customer cannot be erased yet: ${why}.` });
}

function refuseEvidence(
  { mandateEvidenceMonths: months, time }: Parts,
  tenant: number,
  held: ErasureHolds,
): void {
  if (held.collected_at === null) return;
  const until = new Date(held.collected_at);
  until.setUTCMonth(until.getUTCMonth() + months);
  if (until > time.now(tenant))
    throw new Refusal("evidence_kept", {
      detail: `A mandate of this customer must be kept as evidence until ${until.toISOString().slice(0, 10)}, ${months} months after its last collection. Send give_up_evidence: true to erase it anyway.`,
    });
}

/** What is erased, and what identifies the person. */
interface Work {
  readonly tenant: number;
  readonly customer: CustomerRow;
  readonly records: Awaited<ReturnType<typeof recordsOf>>;
  readonly mandates: readonly string[];
  readonly fingerprints: readonly Buffer[];
  /** Of each record of the person. */
  readonly ids: readonly string[];
  readonly known: Known;
  /** Finds what may identify the person anywhere. */
  readonly anywhere: string;
}

/** Returns the audit entries that were changed. */
async function eraseAll(
  deps: Parts,
  tx: Tx,
  tenant: number,
  customer: CustomerRow,
  at: Date,
): Promise<readonly string[]> {
  const work = await workOf(deps, tx, tenant, customer);
  const { records, known, mandates } = work;
  const own = patternOf(known.own);
  await eraseEvents(tx, work);
  if (!(await eraseMessages(tx, tenant, records)))
    throw inUse("a message is being sent; try again in a minute");
  const decided = await eraseFiles(deps, tx, work);
  const entries = await eraseAudited(tx, work, [...work.ids, ...decided]);
  for (const { id, file_name, error, rejections } of await importsOf(tx, tenant, work.anywhere))
    await eraseRejections(tx, tenant, id, {
      name: containsAny(file_name, known.unique) ? ERASED : file_name,
      error: error !== null && containsAny(error, known.unique) ? ERASED : error,
      rejections: withoutPersonInJson(rejections, known),
    });
  await eraseStoredAnswers(tx, deps.keys, tenant, records.sessions, (caller, answer) =>
    answerWithout(work, caller, answer),
  );
  const { references, transactions, chargebacks, sessions, addresses, subscriptions } = records;
  await eraseActivities(tx, tenant, customer.id, sessions);
  await eraseBankBooks(tx, tenant, references, own);
  await eraseSandboxBooks(tx, tenant, references, own);
  await eraseSetAside(tx, tenant, references);
  await eraseCancelReasons(tx, tenant, customer.id);
  await eraseNotices(tx, tenant, subscriptions, own);
  await erasePayments(tx, tenant, transactions, chargebacks, own);
  for (const mandate of mandates) {
    const nothing = { sealed: sealIban(deps, tenant, mandate, ""), fingerprint: deps.ids.secret(32) };
    await eraseMandate(tx, tenant, mandate, { ...nothing, own }, at);
  }
  const counted = [customer.id, ...addresses, ...work.fingerprints.map((one) => one.toString("hex"))];
  await eraseLead(tx, tenant, customer.id, { counted, own }, at);
  return entries;
}

async function workOf(deps: Parts, tx: Tx, tenant: number, customer: CustomerRow): Promise<Work> {
  const { id } = customer;
  const records = await recordsOf(tx, tenant, id, customer.email_key);
  const { sessions, transactions, chargebacks, references, subscriptions, orders } = records;
  const accounts = await accountsOf(deps, tx, tenant, id);
  const paid = await paidWith(deps, tx, tenant, transactions, references);
  const spellings = spellingsOf(customer.first_name, customer.last_name);
  const names = wordsOf([...spellings, ...accounts.names, ...paid.names]).filter((name) => name !== ERASED);
  const prints = new Map(
    [...accounts.ibans, ...paid.ibans].map((iban) => [iban, deps.keys.fingerprints(tenant, iban)]),
  );
  const ibans = [...prints.keys()];
  const fingerprints = [...prints.values()].flat();
  const shared = await sharedWithOthers(tx, tenant, id, { names, fingerprints });
  const hasOther = (iban: string) =>
    (prints.get(iban) ?? []).some((one) => shared.fingerprints.some((other) => other.equals(one)));
  const spelled = spellings.map((name) => name.toLowerCase());
  const isNamesake = spelled.some((name) => shared.names.includes(name));
  const isShared = (name: string) => shared.names.includes(name) || (isNamesake && spelled.includes(name));
  const unique = wordsOf([
    customer.email,
    ...ibans.filter((iban) => !hasOther(iban)).flatMap(spellingsOfIban),
    ...names.filter((name) => name.includes(" ") && !isShared(name)),
  ]);
  const ids = [
    id,
    ...sessions,
    ...transactions,
    ...chargebacks,
    ...accounts.mandates,
    ...subscriptions,
    ...orders,
  ];
  const alone = customer.erased_at === null ? [customer.first_name, customer.last_name, customer.phone] : [];
  return {
    tenant,
    customer,
    records,
    mandates: accounts.mandates,
    fingerprints,
    ids,
    known: {
      own: wordsOf([
        customer.email,
        customer.address,
        ...alone,
        ...names,
        ...paid.addresses,
        ...records.addresses,
        ...ibans.flatMap(spellingsOfIban),
      ]),
      unique: wordsOf([...unique, ...ids, ...references.filter((one) => one.length >= REFERENCE_CHARS_MIN)]),
    },
    anywhere: patternOf(unique),
  };
}

/** A shorter reference, of an imported payment, may be any number. */
const REFERENCE_CHARS_MIN = 8;

/** The person's accounts and the names on them, unsealed. */
async function accountsOf({ keys }: Pick<Deps, "keys">, tx: Tx, tenant: number, id: string) {
  const mandates = await mandatesOf(tx, tenant, id);
  const ids = mandates.map((mandate) => mandate.id);
  const names: (string | null)[] = [];
  const ibans: string[] = [];
  for (const mandate of mandates) {
    names.push(mandate.holder_name);
    ibans.push(openIban({ keys }, { tenant, ...mandate }));
  }
  for (const amendment of await amendmentsOf(tx, tenant, ids)) {
    const { mandate_id: mandateId, number, original_iban_sealed: sealed } = amendment;
    names.push(amendment.original_holder_name);
    if (sealed !== null) ibans.push(openFormerIban({ keys }, { tenant, mandateId, number }, sealed));
  }
  return { mandates: ids, names, ibans: ibans.filter((iban) => iban !== "") };
}

/** The person's names in the books of bank accounts and in processors' files. */
async function paidWith(
  { keys }: Pick<Deps, "keys">,
  tx: Tx,
  tenant: number,
  transactions: readonly string[],
  references: readonly string[],
) {
  const names: (string | null)[] = [];
  const ibans: string[] = [];
  const addresses: (string | null)[] = [];
  for (const { name, debtor, reference } of await namesOf(tx, tenant, transactions, references)) {
    names.push(name);
    if (debtor === null || reference === null) continue;
    const said = JSON.parse(keys.open(tenant, debtorContext(reference), debtor).toString()) as Debtor;
    ibans.push(said.iban);
    addresses.push(said.address?.street ?? null);
  }
  return { names, ibans, addresses };
}

/** An event whose webhook is being sent is not erased: the receiver's response may repeat all of it. */
async function eraseEvents(tx: Tx, { tenant, records, known }: Work): Promise<void> {
  const events = await eventsOf(tx, tenant, records);
  const ids = events.map(({ id }) => id);
  await lockReceivers(tx, tenant, ids);
  if (await isBeingSent(tx, tenant, ids)) throw inUse("a webhook is being sent; try again in a minute");
  for (const { id, payload } of events) {
    const left = withoutPerson(payload, known.own);
    if (JSON.stringify(left) !== JSON.stringify(payload)) await eraseEvent(tx, tenant, id, left);
  }
  await eraseReceiverAnswers(tx, tenant, ids);
}

/** The bank's files, and the entries that people have resolved; returns the ids of the latter. */
async function eraseFiles(
  deps: Parts,
  tx: Tx,
  { tenant, records, known, anywhere }: Work,
): Promise<readonly string[]> {
  const { references } = records;
  const unmatched = (await unmatchedOf(tx, tenant, references, anywhere)).filter(
    ({ own, facts, why, resolution }) =>
      own === true || containsAny(JSON.stringify([facts, why, resolution]), known.unique),
  );
  if (unmatched.some(({ status }) => status === "open" || status === "part"))
    throw inUse("an entry of a bank file is waiting for a decision");
  const ids = unmatched.map(({ id }) => id);
  const files = await filesOf(tx, tenant, references, ids);
  for (const { id, content } of files) await eraseFile(deps, tx, tenant, id, content, known);
  for (const { id, facts, why, resolution } of unmatched)
    await eraseUnmatched(tx, tenant, id, {
      facts: JSON.stringify(withoutPerson(facts, known.own)),
      why: containsAny(why, known.own) ? ERASED : why,
      resolution: resolution === null ? null : ERASED,
    });
  return ids;
}

/** @param ids of records about this person only. */
async function eraseAudited(
  tx: Tx,
  { tenant, known, anywhere }: Work,
  ids: readonly string[],
): Promise<readonly string[]> {
  const changed: string[] = [];
  for await (const { id, before, after, own } of auditedOf(tx, tenant, ids, anywhere)) {
    const without = (value: unknown) =>
      own === true ? withoutPerson(value, known.own) : withoutPersonInJson(value, known);
    const [left, right] = [without(before), without(after)];
    if (JSON.stringify([left, right]) === JSON.stringify([before, after])) continue;
    await eraseEntry(tx, tenant, id, left, right);
    changed.push(id);
  }
  return changed;
}

function answerWithout({ records, known }: Work, caller: string, answer: string): string {
  const { contentType, body } = JSON.parse(answer) as { readonly contentType: string; readonly body: string };
  const own = records.sessions.some((session) => caller === `session:${session}`);
  if (!own && !containsAny(body, known.unique)) return answer;
  let left: string;
  try {
    const said: unknown = JSON.parse(body);
    left = JSON.stringify(own ? withoutPerson(said, known.own) : withoutPersonInJson(said, known));
  } catch {
    left = "";
  }
  return JSON.stringify({ contentType, body: left });
}

/** Everything else in a bank file stays, as does the hash of what was sent or received. */
async function eraseFile(
  { keys }: Pick<Deps, "keys">,
  tx: Tx,
  tenant: number,
  id: string,
  first: Buffer,
  known: Known,
): Promise<void> {
  const before: Buffer[] = [];
  for await (const piece of contentOf(tx, tenant, id, first)) before.push(piece);
  async function* stored() {
    yield* before;
  }
  const { packed } = await pack(
    keys,
    tenant,
    id,
    withoutPersonInFile(unpack(keys, tenant, id, stored()), known),
  );
  try {
    let number = 0;
    for await (const piece of packed.pieces()) {
      await putPiece(tx, tenant, id, number, piece);
      number += 1;
    }
    // The file has become shorter: its last pieces are dropped.
    for (; number < before.length; number += 1)
      await putPiece(tx, tenant, id, number, keys.seal(tenant, contextOfPiece(id, number), ""));
  } finally {
    await packed.close();
  }
}
