/** Codes of authenticator apps against the published test vectors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { base32, stepOfCode, totp } from "./totp.ts";

const SECRET = Buffer.from("12345678901234567890");

/** RFC 6238, appendix B, SHA-1; the appendix lists eight digits, the last six of which apps show. */
const VECTORS = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
] as const;

test("codes are those of RFC 6238, appendix B", () => {
  for (const [seconds, code] of VECTORS) {
    const step = Math.floor(seconds / 30);
    const six = code.slice(-6);
    assert.equal(totp(SECRET, step), six, code);
    assert.equal(stepOfCode(SECRET, six, new Date(seconds * 1_000), null), step);
    assert.equal(stepOfCode(SECRET, six, new Date(seconds * 1_000), step), null, "taken once");
  }
});

test("a code is taken one step early or late, and no further", () => {
  const step = 1_000;
  const at = (seconds: number) => stepOfCode(SECRET, totp(SECRET, step), new Date(seconds * 1_000), null);
  assert.deepEqual(
    [-31, -30, -1, 0, 29, 30, 59, 60].map((off) => at(step * 30 + off)),
    [null, step, step, step, step, step, step, null],
  );
});

test("the secret's text is base32 of RFC 4648, section 10, without padding", () => {
  const texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map((text) => base32(Buffer.from(text)));
  assert.deepEqual(texts, ["", "MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"]);
});
