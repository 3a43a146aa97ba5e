/** The guarantees of sealing, fingerprints and session tokens. */
import assert from "node:assert/strict";
import test from "node:test";
import { createKeyring, defaultKeys } from "./keyring.ts";
import { readSessionToken, sessionToken } from "../tenants/signed-address.ts";

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const keys = createKeyring(defaultKeys(NEW));
const address = { tenant: 7, sessionId: "01a1fbb4-62e0-77b2-beed-ade112749c0e" };

test("a sealed value opens with its own tenant and context only", () => {
  const sealed = keys.seal(7, "mandates.iban:1", "DE89370400440532013000");
  assert.equal(keys.open(7, "mandates.iban:1", sealed).toString(), "DE89370400440532013000");
  assert.ok(!sealed.toString("latin1").includes("3704"));
  assert.throws(() => keys.open(8, "mandates.iban:1", sealed));
  assert.throws(() => keys.open(7, "mandates.iban:2", sealed));
});

test("a sealed value with any byte changed does not open", () => {
  const sealed = keys.seal(7, "c", "secret");
  for (let at = 0; at < sealed.length; at += 1) {
    const altered = Buffer.from(sealed);
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
    assert.throws(() => keys.open(7, "c", altered), `byte ${at}`);
  }
});

test("the same text is sealed differently each time, and fingerprinted the same", () => {
  assert.notDeepEqual(keys.seal(7, "c", "x"), keys.seal(7, "c", "x"));
  assert.deepEqual(keys.fingerprints(7, "x"), keys.fingerprints(7, "x"));
  assert.notDeepEqual(keys.fingerprints(7, "x"), keys.fingerprints(8, "x"));
});

test("after a rotation the previous key still opens, finds and authenticates; without it nothing does", () => {
  const before = createKeyring(defaultKeys(OLD));
  const rotated = createKeyring(defaultKeys(NEW, OLD));
  const sealed = before.seal(7, "c", "x");
  const token = sessionToken(before, before.currentKeyId, address);
  assert.equal(rotated.open(7, "c", sealed).toString(), "x");
  assert.deepEqual(rotated.fingerprints(7, "x")[1], before.fingerprints(7, "x")[0]);
  assert.deepEqual(readSessionToken(rotated, token), address);
  assert.throws(() => keys.open(7, "c", sealed), /master key/);
  assert.equal(readSessionToken(keys, token), null);
});

test("a session token has 47 characters and names its session; with any character changed it is invalid", () => {
  const token = sessionToken(keys, keys.currentKeyId, address);
  assert.match(token, /^ps_[A-Za-z0-9_-]{44}$/);
  assert.deepEqual(readSessionToken(keys, token), address);
  for (let at = 0; at < token.length; at += 1) {
    const altered = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    assert.equal(readSessionToken(keys, altered), null, `character ${at}`);
  }
  for (const nonsense of ["", "ps_", "rk_", `${token}A`, token.toUpperCase(), `ps_${"A".repeat(44)}`]) {
    assert.equal(readSessionToken(keys, nonsense), null);
  }
});
