import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { isPublicAddress, readTarget, TargetRefused } from "./target.ts";

interface Corpus {
  readonly blocked_hosts: readonly string[];
  readonly allowed_hosts: readonly string[];
  readonly bad_urls: readonly string[];
}
const file = new URL("../../../tests/vectors/ssrf-hosts.json", import.meta.url);
const corpus = JSON.parse(await readFile(file, "utf8")) as Corpus;
const PUBLIC_ONLY = { allowPrivate: false };

const BLOCKED = [
  ...corpus.blocked_hosts,
  "0x7f.0.0.1",
  "127.0.0.1.",
  "[::ffff:0a00:1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:a9fe:a9fe::]",
  "[fe80::1]",
  "[::2]",
  "[2001:0:1::]",
  "192.0.0.170",
  "localhost.localdomain.local",
  "redis",
  "kubernetes.default.svc.internal",
  "１２７.0.0.1",
];

for (const host of BLOCKED) {
  test(`nothing is sent to ${host}`, () => {
    assert.throws(() => readTarget(`https://${host}/hook`, PUBLIC_ONLY), TargetRefused);
  });
}
for (const host of [...corpus.allowed_hosts, "example.com", "hooks.example.co.uk", "example.com."]) {
  test(`${host} may be sent to`, () => {
    assert.equal(readTarget(`https://${host}/hook`, PUBLIC_ONLY).protocol, "https:");
  });
}
for (const url of [
  ...corpus.bad_urls,
  "http://example.com/",
  "https://example.com:25/",
  "https://example.com:5432/",
  "https://exa mple.com/",
  "https://example.com/\n",
  "\thttps://example.com/",
  "",
]) {
  test(`${JSON.stringify(url)} is refused as a target`, () => {
    assert.throws(() => readTarget(url, PUBLIC_ONLY), TargetRefused);
  });
}

test("web servers on their usual ports may be sent to", () => {
  for (const port of ["", ":443", ":8443", ":3000", ":10443"]) {
    assert.ok(readTarget(`https://example.com${port}/`, PUBLIC_ONLY));
  }
});

test("the operator may allow private targets and plain http, but no user names", () => {
  const everywhere = { allowPrivate: true };
  assert.equal(readTarget("http://127.0.0.1:4000/x", everywhere).host, "127.0.0.1:4000");
  assert.throws(() => readTarget("http://a:b@127.0.0.1/", everywhere), TargetRefused);
  assert.throws(() => readTarget("ftp://127.0.0.1/", everywhere), TargetRefused);
  for (const port of [5432, 6379]) assert.throws(() => readTarget(`http://127.0.0.1:${port}/`, everywhere));
  const own = { ...everywhere, ownPorts: new Set([45_678]) };
  assert.throws(() => readTarget("http://127.0.0.1:45678/", own), /Port 45678 is not a web server port/);
});

test("addresses are judged in every spelling that resolvers accept", () => {
  for (const address of ["::ffff:127.0.0.1", "::127.0.0.1", "fe80::1%lo", "0:0:0:0:0:0:0:1", "nonsense"]) {
    assert.equal(isPublicAddress(address), false, address);
  }
  for (const address of ["::ffff:8.8.8.8", "2606:4700:4700:0:0:0:0:1111", "93.184.216.34"]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});
