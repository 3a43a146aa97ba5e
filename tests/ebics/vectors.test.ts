/**
 * Our algorithms against those of others: other functions of OpenSSL in node:crypto, the npm client `ebics-client`,
 * xml-crypto, and a key hash of the PHP client's tests.
 */
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { createRequire } from "node:module";
import { test } from "node:test";
import { selfSigned } from "../../src/gateways/sepa-batch/transports/ebics/certificate.ts";
import {
  decryption,
  encrypt,
  keyHash,
  signOrder,
  unwrapKey,
  wrapKey,
} from "../../src/gateways/sepa-batch/transports/ebics/crypto.ts";
import { canonical } from "../../src/files/xml-canonical.ts";
import { outermost, xmlTree } from "../../src/files/xml-tree.ts";
import * as bank from "../../tools/ebics-host/crypto.ts";
import * as foreign from "../../tools/ebics-host/xml.ts";
import { fc } from "../support/properties.ts";

/** The client's internals that are used. They have no types. */
interface ClientCrypto {
  digestPublicKey(key: unknown): string;
  sign(key: unknown, digest: Buffer): string;
  pad(data: Buffer): Buffer;
  publicEncrypt(key: unknown, data: Buffer): Buffer;
}
const need = createRequire(import.meta.url);
const theirs = need("ebics-client/lib/crypto/Crypto") as ClientCrypto;
const Key = need("ebics-client/lib/keymanagers/Key") as new (of: { pem: string }) => unknown;

const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = pair.privateKey.export({ type: "pkcs1", format: "pem" });
const ORDER = Buffer.from("first line\r\nsecond line\n\u001a");

test("the hash of a public key: that of ebics-client-php's own test (MIT), and of ebics-client", () => {
  const spki =
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCMwexPODeJcwskuyIjIqQ2pDkI6k4HEVnpfGOdc4x9jF0cFYn4pdwJ9Mdz6GqgoHLjWH2D" +
    "1rKH1jEsOFT9ks+QyHRtKG/q9lyCrzuBo6cYTXU8Mgi9USM+Z70J4NVSFKObOCz/3eJrz4fDe955DEMqhc+VkmXlyOOdiKy7Pi2bbwIDAQAB";
  const key = createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" });
  assert.equal(
    keyHash(key).toString("hex"),
    "e1955c3873327e1791aca42e350cea48196f7934648d48b60228eaf5d10ee0c4",
  );
  assert.equal(keyHash(pair.publicKey).toString("base64"), theirs.digestPublicKey(new Key({ pem })));
});

test("order signatures: the simulated bank verifies ours and those of ebics-client", () => {
  for (const version of ["A005", "A006"] as const) {
    const signature = signOrder(version, pair.privateKey, ORDER);
    assert.equal(bank.verifyOrder(version, pair.publicKey, ORDER, signature), true);
    assert.equal(
      bank.verifyOrder(version, pair.publicKey, Buffer.from("first linesecond line"), signature),
      true,
    );
    assert.equal(bank.verifyOrder(version, pair.publicKey, Buffer.from("first line"), signature), false);
  }
  const digest = bank.sha256("first linesecond line");
  const made = Buffer.from(theirs.sign(new Key({ pem }), digest), "base64");
  assert.equal(bank.verifyOrder("A006", pair.publicKey, ORDER, made), true);
});

test("encryption: the padding is that of ebics-client, whose wrapped keys can be decrypted", () => {
  const key = Buffer.alloc(16, 7);
  for (const length of [0, 1, 15, 16, 17, 100]) {
    const plain = Buffer.alloc(length, 1);
    const decipher = decryption(key);
    const padded = Buffer.concat([decipher.update(encrypt(key, plain)), decipher.final()]);
    assert.deepEqual([...padded.subarray(0, length)], [...plain]);
    assert.equal(padded.at(-1), theirs.pad(plain).at(-1));
    assert.deepEqual(bank.decrypt(key, encrypt(key, plain)), plain);
  }
  const client = new Key({ pem: pair.publicKey.export({ type: "spki", format: "pem" }) });
  assert.deepEqual(unwrapKey(pair.privateKey, theirs.publicEncrypt(client, key)), key);
  assert.deepEqual(bank.openKey(pair.privateKey, wrapKey(pair.publicKey, key).toString("base64")), key);
});

test("certificates: OpenSSL can read them, and their signature, dates and key usage are right", () => {
  const from = new Date("2026-11-23T08:00:00Z");
  for (const until of [new Date("2036-11-23T08:00:00Z"), new Date("2056-11-23T08:00:00Z")]) {
    const der = selfSigned({
      ...pair,
      commonName: "USER1",
      use: "signature",
      serial: Buffer.alloc(15, 0xff),
      from,
      until,
    });
    const read = new X509Certificate(der);
    assert.equal(read.verify(pair.publicKey), true);
    assert.equal(read.checkPrivateKey(pair.privateKey), true);
    assert.equal(read.subject, "CN=USER1");
    assert.deepEqual([read.validFromDate, read.validToDate], [from, until]);
  }
});

test("certificates: every length is written as DER wants it, in one byte up to 127", () => {
  const from = new Date("2026-11-23T08:00:00Z");
  // The name is inside three others, each two bytes or more longer.
  for (let length = 100; length <= 260; length += 1) {
    const commonName = "U".repeat(length);
    const certificate = selfSigned({
      ...pair,
      commonName,
      use: "signature",
      serial: Buffer.alloc(15, 1),
      from,
      until: new Date("2036-11-23T08:00:00Z"),
    });
    const read = new X509Certificate(certificate);
    assert.deepEqual([read.subject, read.verify(pair.publicKey)], [`CN=${commonName}`, true], `${length}`);
  }
});

test("any document and any part of it has the same canonical form as with xml-crypto", () => {
  const name = fc.constantFrom("a", "b", "p:a", "q:b");
  const words = fc.string({ unit: fc.constantFrom("x", " ", "&amp;", "&lt;", "&gt;", "ü", "\n", "&#13;") });
  const own = fc.constantFrom(
    "",
    ' xmlns="urn:d:2"',
    ' xmlns:p="urn:p:2"',
    ' b="2" a="&quot;&#9;"',
    ' q:z="1" p:y="2" x="3"',
  );
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      words,
      fc
        .tuple(name, own, fc.array(tie("tree"), { maxLength: 3 }))
        .map(([n, a, c]) => `<${n}${a}>${c.join("")}</${n}>`),
    ),
  }));
  fc.assert(
    fc.property(tree, (inside) => {
      const xml = `<r xmlns="urn:d:1" xmlns:p="urn:p:1" xmlns:q="urn:q:1"><m>${inside}</m></r>`;
      const mine = outermost(xmlTree(xml, 1e6), ({ local }) => local === "m").map(canonical);
      assert.deepEqual(mine, foreign.below(foreign.parse(xml), "m").map(foreign.canonical));
    }),
  );
});
