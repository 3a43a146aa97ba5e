/**
 * The npm client `ebics-client` (H004 only) against the simulated bank, to find a misunderstanding that the simulated
 * bank and the service share.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { startTestBank, WHO } from "./bank.ts";

interface Client {
  send(order: object): Promise<Record<string, unknown>>;
  setBankKeys(keys: unknown): Promise<void>;
}

/** The part of the package that is used. The package has no types. */
interface Package {
  readonly Client: new (options: object) => Client;
  readonly Orders: Readonly<Record<"INI" | "HIA" | "HPB", object>> & {
    CDD(document: string): object;
    C53(from: null, until: null): object;
    HAC(from: null, until: null): object;
  };
}

const { Client, Orders } = createRequire(import.meta.url)("ebics-client") as Package;

test("ebics-client: keys, an upload that the bank verifies, a download, the protocol", async (t) => {
  // With every request the client prints a warning about how it stores keys.
  t.mock.method(console, "warn", () => {});
  const bank = await startTestBank();
  let stored: string | null = null;
  const client = new Client({
    url: bank.server.url,
    ...WHO,
    passphrase: "only for this test",
    keyStorage: {
      write: async (data: string) => {
        stored = data;
      },
      read: async () => stored,
    },
  });
  try {
    for (const order of [Orders.INI, Orders.HIA]) {
      const { technicalCode, businessCode } = await client.send(order);
      assert.deepEqual([technicalCode, businessCode], ["000000", "000000"]);
    }
    assert.equal(bank.user.state, "both");
    bank.user.state = "ready";
    const { bankKeys } = await client.send(Orders.HPB);
    await client.setBankKeys(bankKeys);
    // The client removes line ends from the data that it sends.
    await client.send(Orders.CDD("<Document>\n one debit\n</Document>"));
    assert.deepEqual(
      bank.books.taken.map(({ order, data, waits }) => [order, data.toString(), waits]),
      [["CDD", "<Document> one debit</Document>", false]],
    );
    bank.books.waiting.set("C53", [Buffer.from("<Document>a statement</Document>")]);
    const statement = await client.send(Orders.C53(null, null));
    assert.equal(String(statement["orderData"]), "<Document>a statement</Document>");
    assert.deepEqual(bank.books.waiting.get("C53"), [], "its receipt was taken");
    const protocol = await client.send(Orders.HAC(null, null));
    assert.match(String(protocol["orderData"]), /FILE_UPLOAD.*TS01/);
  } finally {
    await bank.close();
  }
});
