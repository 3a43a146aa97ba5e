/** A subscriber and a simulated bank, for tests of the protocol. */
import { systemClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { fetchBankKeys, sendKeys } from "../../src/gateways/sepa-batch/transports/ebics/key-exchange.ts";
import { openHost, type Host } from "../../src/gateways/sepa-batch/transports/ebics/host.ts";
import { makeKeys, type OwnKeys } from "../../src/gateways/sepa-batch/transports/ebics/keys.ts";
import type {
  KeyedSubscriber,
  ReadySubscriber,
  Subscriber,
} from "../../src/gateways/sepa-batch/transports/ebics/subscriber.ts";
import type { Session } from "../../src/gateways/sepa-batch/transports/ebics/upload.ts";
import { openBooks, type Books, type User } from "../../tools/ebics-host/books.ts";
import type { About, HostSettings } from "../../tools/ebics-host/host.ts";
import { startEbicsServer, type EbicsServer, type Fault } from "../../tools/ebics-host/server.ts";

export const WHO = { hostId: "TESTBANK", partnerId: "PARTNER1", userId: "USER1" } as const;

/** Created once for all tests of a file, because three key pairs take a second. */
let made: Promise<OwnKeys> | null = null;

export function ownKeys(): Promise<OwnKeys> {
  made ??= makeKeys(randomIds, WHO.userId, new Date("2026-11-23T08:00:00Z"));
  return made;
}

export interface TestBank {
  readonly books: Books;
  readonly user: User;
  readonly server: EbicsServer;
  readonly host: Host;
  /** The next fault; set by a test. */
  fault: (about: About) => Fault | null;
  close(): Promise<void>;
}

interface BankOptions {
  readonly signatureClass?: "E" | "T";
  readonly segmentChars?: number;
  readonly agreed?: ReadonlySet<string> | null;
  readonly digestOf?: "key" | "certificate";
  readonly numbersOmitted?: boolean;
  readonly now?: () => Date;
}

export async function startTestBank(options: BankOptions = {}): Promise<TestBank> {
  const {
    signatureClass = "E",
    segmentChars = 700_000,
    agreed = null,
    digestOf = "key",
    numbersOmitted = false,
    now = () => new Date(),
  } = options;
  const books = openBooks([{ partnerId: WHO.partnerId, userId: WHO.userId, signatureClass }]);
  const settings: HostSettings = {
    hostId: WHO.hostId,
    books,
    now,
    segmentChars,
    agreed,
    digestOf,
    numbersOmitted,
  };
  const server = await startEbicsServer(settings, (about) => bank.fault(about));
  const host = openHost(server.url, {
    clock: systemClock,
    allowPrivate: true,
    signal: new AbortController().signal,
  });
  const user = books.users.get(`${WHO.partnerId}/${WHO.userId}`);
  if (user === undefined) throw new Error("the bank knows the user");
  const bank: TestBank = {
    books,
    user,
    server,
    host,
    fault: () => null,
    close: async () => {
      await host.close();
      await server.close();
    },
  };
  return bank;
}

export async function subscriberOf(changes: Partial<Subscriber> = {}): Promise<KeyedSubscriber> {
  return {
    version: "H005",
    ...WHO,
    signatureVersion: "A006",
    signatureClass: "E",
    digestOf: "key",
    keys: await ownKeys(),
    ...changes,
  };
}

/** Exchanges all keys. The bank activates the user at once. */
export async function readySession(bank: TestBank, changes: Partial<Subscriber> = {}): Promise<Session> {
  const subscriber = await subscriberOf(changes);
  await sendKeys(bank.host, subscriber, "INI");
  await sendKeys(bank.host, subscriber, "HIA");
  bank.user.state = "ready";
  const moment = { nonce: randomIds.secret(16), at: new Date() };
  const bankKeys = await fetchBankKeys(bank.host, subscriber, moment);
  const ready: ReadySubscriber = { ...subscriber, bankKeys };
  return { host: bank.host, subscriber: ready, ids: randomIds, clock: systemClock };
}
