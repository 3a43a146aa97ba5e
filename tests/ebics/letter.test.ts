/** The letter of our keys: what the bank compares with the keys that it has received. */
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { selfSigned } from "../../src/gateways/sepa-batch/transports/ebics/certificate.ts";
import {
  KEY_PURPOSES,
  type KeyPurpose,
  type OwnKeys,
} from "../../src/gateways/sepa-batch/transports/ebics/keys.ts";
import { letterPages } from "../../src/gateways/sepa-batch/transports/ebics/letter.ts";
import {
  LETTER_LANGUAGES,
  LETTER_TEXTS,
} from "../../src/gateways/sepa-batch/transports/ebics/letter-texts.ts";
import { hexNumbers, sha256 } from "../../tools/ebics-host/crypto.ts";
import { WHO } from "./bank.ts";

const FROM = new Date("2026-11-23T23:30:00Z");
const KEYS = Object.fromEntries(KEY_PURPOSES.map((use) => [use, keyFor(use)])) as unknown as OwnKeys;

function keyFor(use: KeyPurpose): OwnKeys[KeyPurpose] {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const about = {
    commonName: "USER1",
    use,
    serial: randomBytes(15),
    from: FROM,
    until: new Date("2036-11-23T00:00:00Z"),
  };
  return { privateKey, publicKey, certificate: selfSigned({ privateKey, publicKey, ...about }) };
}

const VERSIONS = { authentication: "X002", encryption: "E002" };
const pairs = (hash: Buffer) => (hash.toString("hex").toUpperCase().match(/../g) ?? []).join(" ");

/** The terms and their values, as they stand in the page. */
function factsOf(page: string): readonly (readonly [term: string, value: string])[] {
  return [...page.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(?:<code[^>]*>)?(.*?)(?:<\/code>)?<\/dd>/gs)].map(
    ([, term = "", value = ""]) => [term, value] as const,
  );
}

for (const version of ["H005", "H004"] as const) {
  for (const signatureVersion of ["A006", "A005"] as const) {
    test(`the letter of ${version} with ${signatureVersion} has the user, the day, and of each key the hash, the numbers${version === "H005" ? " and the certificate's hash" : ", and no certificate"}, in each language`, () => {
      for (const language of LETTER_LANGUAGES) {
        const texts = LETTER_TEXTS[language];
        const subscriber = {
          ...WHO,
          version,
          signatureVersion,
          signatureClass: "E",
          digestOf: "key",
        } as const;
        const page = letterPages(subscriber, [KEYS], language).text;
        const ofKey = (use: KeyPurpose) => {
          const [exponent, modulus] = hexNumbers(KEYS[use].publicKey);
          const { raw } = new X509Certificate(KEYS[use].certificate);
          return [
            [texts.version, use === "signature" ? signatureVersion : VERSIONS[use]],
            [texts.keyHash, pairs(sha256(`${exponent} ${modulus}`))],
            ...(version === "H005" ? [[texts.certificateHash, pairs(sha256(raw))]] : []),
            [texts.exponent, exponent],
            [texts.modulus, modulus],
          ];
        };
        assert.deepEqual(factsOf(page), [
          [texts.hostId, "TESTBANK"],
          [texts.partnerId, "PARTNER1"],
          [texts.userId, "USER1"],
          ["EBICS", version],
          [texts.date, "2026-11-23"],
          ...KEY_PURPOSES.flatMap(ofKey),
        ]);
        const uses = [...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, use]) => use);
        assert.deepEqual(
          uses,
          KEY_PURPOSES.map((use) => texts.uses[use]),
        );
        for (const text of ["intro", "confirm", "placeAndDate", "name", "signature"] as const)
          assert.ok(page.includes(`<p>${texts[text]}</p>`), `${language} ${text}`);
        assert.match(page, new RegExp(`<html lang="${language}">`));
        assert.doesNotMatch(page, /\(1\/1\)/);
      }
    });
  }
}

test("where it is unknown which of two key pairs the bank has, there is a letter of each, numbered", () => {
  const subscriber = {
    ...WHO,
    version: "H005",
    signatureVersion: "A006",
    signatureClass: "E",
    digestOf: "key",
  } as const;
  const other = { ...KEYS, signature: keyFor("signature") };
  const page = letterPages(subscriber, [KEYS, other], "en").text;
  const { title, keyHash } = LETTER_TEXTS.en;
  const headings = [...page.matchAll(/<h1>(.*?)<\/h1>/g)].map(([, text]) => text);
  assert.deepEqual(headings, [`${title} (1/2)`, `${title} (2/2)`]);
  const hashes = factsOf(page).flatMap(([term, value]) => (term === keyHash ? [value] : []));
  const hashOf = (keys: OwnKeys) => {
    const [exponent, modulus] = hexNumbers(keys.signature.publicKey);
    return pairs(sha256(`${exponent} ${modulus}`));
  };
  assert.deepEqual([hashes[0], hashes[3]], [hashOf(KEYS), hashOf(other)]);
});
