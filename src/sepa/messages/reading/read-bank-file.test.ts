import assert from "node:assert/strict";
import test from "node:test";
import { messageTypeOf } from "./read-bank-file.ts";

const ISO = "urn:iso:std:iso:20022:tech:xsd:";

test("every version that banks send is known by its namespace", () => {
  const versions = (family: string, first: number, last: number) =>
    Array.from(
      { length: last - first + 1 },
      (_, at) => `${ISO}${family}.001.${String(first + at).padStart(2, "0")}`,
    );
  const namespaces = [
    ...["camt.052", "camt.053", "camt.054"].flatMap((family) => versions(family, 2, 13)),
    ...versions("pain.002", 3, 14),
  ];
  for (const namespace of namespaces) {
    const { family, version } = messageTypeOf("Document", namespace);
    assert.equal(`${ISO}${family}.001.${String(version).padStart(2, "0")}`, namespace);
  }
});

test("the German and Swiss subsets of pain.002.001.03 are read as such", () => {
  for (const namespace of [
    `${ISO}pain.002.002.03`,
    `${ISO}pain.002.003.03`,
    "http://www.six-interbank-clearing.com/de/pain.002.001.03.ch.02.xsd",
  ]) {
    assert.deepEqual(messageTypeOf("Document", namespace), { family: "pain.002", version: 3, namespace });
  }
});

test("no other namespace is known", () => {
  const near = [
    "camt.053.001.01",
    "camt.053.001.14",
    "camt.055.001.08",
    "pain.002.001.02",
    "pain.002.001.15",
    "pain.002.004.03",
    "pain.002.002.04",
  ];
  for (const name of near)
    assert.throws(() => messageTypeOf("Document", ISO + name), { code: "unknown_message" }, name);
  assert.throws(() => messageTypeOf("BkToCstmrStmt", `${ISO}camt.053.001.08`), { code: "unknown_message" });
});
