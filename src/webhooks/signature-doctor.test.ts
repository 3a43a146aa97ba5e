import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import { verifyDoctor } from "./signature-doctor.ts";

const SECRET = "whsec_c2l4dGVlbiBieXRlcyBvciBtb3JlIGFyZSBoZXJl";
const SENT = '{"a":{"b":"1","c":"2"},"name":"Jörg"}';
const ASCII = '{"a":{"b":"1","c":"2"},"name":"J\\u00f6rg"}';
const hmac = (body: string | Buffer, secret: string | Buffer = SECRET) =>
  createHmac("sha256", secret).update(body);
const hex = (body: string | Buffer, secret?: string | Buffer) => hmac(body, secret).digest("hex");

const CASES: readonly (readonly [
  what: string,
  says: RegExp,
  signature: string,
  body: string,
  secret?: string,
])[] = [
  ["all is well", /^The signature is right/, hex(SENT), SENT],
  ["spaces in the body", /^Spaces: this body/, hex(SENT), '{"a": {"b": "1", "c": "2"}, "name": "Jörg"}'],
  ["other key order", /^Key order: the keys/, hex(SENT), '{"name":"Jörg","a":{"c":"2","b":"1"}}'],
  ["escapes in the body", /^Escapes: this body/, hex(SENT), ASCII],
  ["escapes missing", /^Escapes: the signed body/, hex(ASCII), SENT],
  [
    "escapes and order",
    /Escapes: this body[^]*Key order/,
    hex(SENT),
    '{"name":"J\\u00f6rg","a":{"b":"1","c":"2"}}',
  ],
  [
    "signed with spaces",
    /^Spaces: the signature was made over JSON with/,
    hex('{"a": {"b": "1", "c": "2"}, "name": "Jörg"}'),
    SENT,
  ],
  ["signed with Python's spaces and escapes", /^Spaces/, hex(ASCII.replace(/([:,])/g, "$1 ")), SENT],
  ["a line end", /^Spaces: there is white space/, hex(SENT), `${SENT}\n`],
  ["Latin-1", /^Encoding: the bytes were taken for Latin-1/, hex(Buffer.from(SENT, "latin1")), SENT],
  ["a byte order mark", /^Encoding: there is a byte order mark/, hex(SENT), `\ufeff${SENT}`],
  ["base64", /^Encoding: the signature is base64/, hmac(SENT).digest("base64"), SENT],
  ["upper case", /^Encoding: the digits are lower case/, hex(SENT).toUpperCase(), SENT],
  ["a prefix", /^Encoding: the header has no/, `sha256=${hex(SENT)}`, SENT],
  ["no signature", /^Encoding: the signature is not an HMAC/, "v1,abc", SENT],
  ["prefix of the secret cut off", /^Secret: `whsec_` is missing/, hex(SENT), SENT, SECRET.slice(6)],
  ["secret decoded", /^Secret: it was decoded/, hex(SENT, Buffer.from(SECRET.slice(6), "base64")), SENT],
  ["secret with a space", /^Secret: there is white space/, hex(SENT), SENT, ` ${SECRET}`],
  ["another secret", /^No rule explains/, hex(SENT, "another-secret"), SENT],
  ["a cut body", /^The body is not JSON/, hex(SENT), SENT.slice(0, -3)],
  ["no body", /^The body is empty/, hex(SENT), ""],
];
for (const [what, says, signature, body, secret = SECRET] of CASES) {
  test(`the signature doctor finds: ${what}`, () => {
    const { right, words } = verifyDoctor(secret, signature, Buffer.from(body));
    assert.match(words, says);
    assert.equal(right, words.startsWith("The signature is right"));
  });
}
