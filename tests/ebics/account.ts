/** A merchant whose gateway reaches the simulated bank over EBICS, after a person has exchanged the keys. */
import assert from "node:assert/strict";
import type { Deps } from "../../src/deps.ts";
import { fetchFiles } from "../../src/gateways/sepa-batch/incoming/fetch.ts";
import { sendJob } from "../../src/gateways/sepa-batch/outgoing/send.ts";
import { findAccounts, insertPacked, type AccountRow } from "../../src/gateways/sepa-batch/files-store.ts";
import { pack } from "../../src/gateways/sepa-batch/pack.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { bankPair } from "../../tools/ebics-host/crypto.ts";
import { sha256, hexNumbers } from "../../tools/ebics-host/crypto.ts";
import { bankMerchant, type BankMerchant } from "../support/sepa-bank.ts";
import type { Json, Service } from "../support/service.ts";
import { WHO, type TestBank } from "./bank.ts";

/** The hashes in the bank's letter. */
export function bankLetter(generation = 0): { authentication_hash: string; encryption_hash: string } {
  const hash = (use: "authentication" | "encryption") =>
    (
      sha256(hexNumbers(bankPair(use, generation).publicKey).join(" "))
        .toString("hex")
        .toUpperCase()
        .match(/../g) ?? []
    ).join(" ");
  return { authentication_hash: hash("authentication"), encryption_hash: hash("encryption") };
}

export function transportTo(bank: TestBank, changes: object = {}): object {
  return {
    kind: "ebics",
    url: bank.server.url,
    host_id: WHO.hostId,
    partner_id: WHO.partnerId,
    user_id: WHO.userId,
    signature_class: "E",
    ...changes,
  };
}

export async function ebicsPost(
  service: Service,
  merchant: BankMerchant,
  what: string,
  body?: object,
): Promise<Json> {
  const {
    status,
    body: answer,
    text,
  } = await service.post(`management/ebics/${merchant.accountId}/${what}/`, body, {
    key: merchant.key,
  });
  assert.equal(status, 200, text);
  return answer;
}

export async function ebicsMerchant(
  service: Service,
  bank: TestBank,
  changes: object = {},
  settings: object = {},
): Promise<BankMerchant> {
  const merchant = await bankMerchant(service, { transport: transportTo(bank, changes), ...settings });
  await ebicsPost(service, merchant, "keys", {});
  bank.user.state = "ready";
  await ebicsPost(service, merchant, "bank-keys");
  const { state } = await ebicsPost(service, merchant, "confirm", bankLetter());
  assert.equal(state, "ready");
  return merchant;
}

export async function accountOf(service: Service, merchant: BankMerchant): Promise<AccountRow> {
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const [account] = await findAccounts(service.db, row?.["tenant"], merchant.accountId);
  assert.ok(account !== undefined);
  return account;
}

/** A stored file of the account. Its content does not matter here. */
export async function storedFile(service: Service, account: AccountRow, content: string): Promise<string> {
  const { deps } = service.app;
  const id = randomIds.uuid();
  const now = deps.clock.now();
  const { sha256: hash, size, packed } = await pack(deps.keys, account.tenant, id, [content]);
  const file = {
    id,
    gatewayId: account.id,
    direction: "out",
    kind: "pain.008",
    name: `${id}.xml`,
    messageId: id.slice(0, 35),
    sha256: hash,
    size,
    transactions: 0,
    amount: "0.00",
    dueDate: "2040-06-29",
    status: "stored",
    error: null,
    dueAt: now,
  } as const;
  await deps.db.transaction((tx) => insertPacked(tx, account.tenant, file, packed.pieces(), now));
  await packed.close();
  return id;
}

export async function fileRow(service: Service, id: string): Promise<Json> {
  const [row] = await service.rows("select status, error, due_at, attempts from sepa_files where id = $1", [
    id,
  ]);
  assert.ok(row !== undefined);
  return row;
}

/** Sends everything that is due. Each pass of the job handles one file of a tenant. */
export async function send(deps: Deps): Promise<void> {
  const job = sendJob(deps, null);
  for (let pass = 0; pass < 2; pass += 1) await job.runOnce(1);
}

/** Fetches all files of the bank, and the bank's protocol. */
export async function fetchNow(
  service: Service,
  merchant: BankMerchant,
  deps: Deps = service.app.deps,
): Promise<number> {
  return fetchFiles(deps, await accountOf(service, merchant), new Map(), new AbortController().signal);
}
