/** The exchange of keys with the bank: sending ours, fetching the bank's, changing ours, suspension. */
import { deflateSync } from "node:zlib";
import { readKeyAnswer } from "./answer.ts";
import type { Host } from "./host.ts";
import { bankKeysOf, newKeysData, otherKeysData, signatureKeyData } from "./key-messages.ts";
import type { BankKeys, OwnKeys } from "./keys.ts";
import { bankKeysRequest, unsecuredRequest, type Moment } from "./requests.ts";
import { BankRefused, verdictOf } from "./return-codes.ts";
import type { KeyedSubscriber } from "./subscriber.ts";
import { upload, type Session, type UploadOutcome } from "./upload.ts";
import { Unreadable } from "../../../../files/xml-tree.ts";

/**
 * Sends our public keys: the signature key with INI, the others with HIA.
 * @throws BankRefused, NoAnswer, Unreadable.
 */
export async function sendKeys(host: Host, subscriber: KeyedSubscriber, type: "INI" | "HIA"): Promise<void> {
  const data = type === "INI" ? signatureKeyData(subscriber) : otherKeysData(subscriber);
  const { code } = readKeyAnswer(
    await host.ask(unsecuredRequest(subscriber, type, deflateSync(data))),
    subscriber,
  );
  if (verdictOf(code) !== "good") throw new BankRefused(type, code);
}

/**
 * Fetches the bank's public keys, which a person still has to compare.
 * @throws BankRefused, NoAnswer, Unreadable.
 */
export async function fetchBankKeys(
  host: Host,
  subscriber: KeyedSubscriber,
  moment: Moment,
): Promise<BankKeys> {
  const answer = readKeyAnswer(await host.ask(bankKeysRequest(subscriber, moment)), subscriber);
  if (verdictOf(answer.code) !== "good") throw new BankRefused("HPB", answer.code);
  const { transactionKey, orderData } = answer;
  if (transactionKey === null || orderData === null) throw new Unreadable("The answer has no keys.");
  return bankKeysOf(transactionKey, orderData, subscriber);
}

/** Sends the bank three new keys, signed with the old ones (HCS). */
export function sendNewKeys(session: Session, keys: OwnKeys): Promise<UploadOutcome> {
  const data = newKeysData(session.subscriber, keys);
  return upload(session, { kind: "type", type: "HCS" }, data, QUIET);
}

/** Has the bank lock this user (SPR); new letters reactivate it. */
export function suspend(session: Session): Promise<UploadOutcome> {
  return upload(session, { kind: "type", type: "SPR" }, Buffer.from(" "), QUIET);
}

const QUIET = { started: async () => {}, beforeLast: async () => true };
