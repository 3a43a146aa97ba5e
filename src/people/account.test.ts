/** When a second factor may be removed. */
import assert from "node:assert/strict";
import test from "node:test";
import { staysOpen } from "./account.ts";

for (const [role, password, totp, provider, passkeys, required, open] of [
  ["operator", "hash", null, null, 0, false, false],
  ["operator", "hash", Buffer.from("s"), null, 0, false, true],
  ["operator", "hash", null, null, 1, false, true],
  ["owner", "hash", null, null, 0, false, true],
  ["owner", "hash", null, null, 0, true, false],
  ["owner", null, null, null, 0, false, false],
  ["owner", null, Buffer.from("s"), null, 0, false, false],
  ["owner", null, null, "subject", 0, true, true],
  ["owner", null, null, null, 1, true, true],
] as const) {
  const has = [password && "a password", totp && "an authenticator", provider && "a provider"].filter(
    Boolean,
  );
  test(`an ${role} with ${has.join(", ") || "nothing"} and ${passkeys} passkeys ${open ? "can" : "cannot"} sign in${required ? " where a second factor is required" : ""}`, () => {
    const person = { role, password_hash: password, totp_secret: totp, oidc_subject: provider };
    const signIn = { secondFactorRequired: required } as Parameters<typeof staysOpen>[0];
    assert.equal(staysOpen(signIn, person, passkeys), open);
  });
}
