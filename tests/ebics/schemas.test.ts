/** Every message of a session, ours and the simulated bank's, is valid by the published schemas of H005 and H004. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { validateXML } from "xmllint-wasm";
import {
  newKeysData,
  otherKeysData,
  signatureKeyData,
} from "../../src/gateways/sepa-batch/transports/ebics/key-messages.ts";
import { sendNewKeys } from "../../src/gateways/sepa-batch/transports/ebics/key-exchange.ts";
import { download } from "../../src/gateways/sepa-batch/transports/ebics/download.ts";
import { orderOf } from "../../src/gateways/sepa-batch/transports/ebics/orders.ts";
import { upload } from "../../src/gateways/sepa-batch/transports/ebics/upload.ts";
import { ownKeys, readySession, startTestBank, subscriberOf } from "./bank.ts";

/**
 * The schemas belong to EBICS SC and are not in this repository. They are looked for in EBICS_SCHEMAS, and in `shared/`
 * next to a parent folder.
 */
const SCHEMAS = process.env["EBICS_SCHEMAS"] ?? nearby(import.meta.dirname);

function nearby(from: string): string | null {
  const folder = join(from, "shared/psp/data/ebics-xsd");
  if (existsSync(folder)) return folder;
  return dirname(from) === from ? null : nearby(dirname(from));
}

if (SCHEMAS === null)
  console.log(
    "no shared/psp/data/ebics-xsd near this checkout, nor EBICS_SCHEMAS: EBICS messages are not validated",
  );

const ORDERS = {
  H004: { up: "CDD", down: "C53" },
  H005: { up: "SDD//COR//pain.008", down: "EOP/DE//ZIP/camt.053:08" },
} as const;

async function errorsIn(version: "H004" | "H005", documents: readonly string[]): Promise<readonly string[]> {
  const folder = join(SCHEMAS ?? "", version);
  const files = readdirSync(folder).map((fileName) => ({
    fileName,
    contents: readFileSync(join(folder, fileName), "utf8"),
  }));
  const main = files.find(({ fileName }) => fileName === `ebics_${version}.xsd`);
  assert.ok(main !== undefined);
  const { errors } = await validateXML({
    xml: documents.map((contents, index) => ({ fileName: `${index}.xml`, contents })),
    schema: main,
    preload: files,
  });
  return errors.map(
    ({ message, loc }) => `${message} in ${documents[Number.parseInt(loc?.fileName ?? "0", 10)]}`,
  );
}

if (SCHEMAS !== null) {
  for (const version of ["H005", "H004"] as const) {
    test(`${version}: keys, uploads, downloads, receipts and refusals are valid`, async () => {
      const bank = await startTestBank({ segmentChars: 60 });
      try {
        const session = await readySession(bank, { version });
        const file = Buffer.from("a file of some length ".repeat(20));
        const steps = { started: async () => {}, beforeLast: async () => true };
        const { up, down } = ORDERS[version];
        await upload(session, orderOf(up), file, steps, 40);
        const asT = { ...session, subscriber: { ...session.subscriber, signatureClass: "T" as const } };
        await upload(asT, orderOf(up), file, steps, 400);
        bank.books.waiting.set(down, [file]);
        for (const order of [down, down, "HAC"]) {
          await download(session, orderOf(order), async (bytes) => {
            for await (const _ of bytes);
          });
        }
        await sendNewKeys(session, await ownKeys());
        bank.fault = () => ({ kind: "code", injected: { code: "061099" } });
        await upload(session, orderOf(up), file, steps);
        const subscriber = await subscriberOf({ version });
        const data = [
          signatureKeyData(subscriber),
          otherKeysData(subscriber),
          newKeysData(subscriber, subscriber.keys),
        ];
        const said = bank.server.messages.flatMap(({ request, answer }) => [request, answer]);
        assert.ok(said.length > 30);
        assert.deepEqual(await errorsIn(version, [...said, ...data.map(String)]), []);
        const wrong = said[0]?.replace("<SecurityMedium>0000<", "<SecurityMedium>zero<") ?? "";
        assert.equal((await errorsIn(version, [wrong])).length > 0, true, "the schemas are looked at");
      } finally {
        await bank.close();
      }
    });
  }
}
