import assert from "node:assert/strict";
import test from "node:test";
import { addressProblem } from "./web-address.ts";

const good = [
  "https://shop.example.com",
  "https://shop.example.com:8443/a?b=c#d",
  "https://[2001:db8::1]/",
  "https://münchen.example/",
  "https://my_shop.example.com/",
];
const bad = [
  "",
  "shop.example.com",
  "//shop.example.com/",
  "https://",
  "https://user@shop.example.com/",
  "https://:pass@shop.example.com/",
  "https:\\\\shop.example.com",
  "https://shop.example.com/\n",
  "https://shop.example.com/\u0000",
  "https://shop.example.com/a b",
  "https://shop.example.com/\u2028",
  " https://shop.example.com/",
  "https://a;report-uri",
  "https://a;report-uri/x",
  "https://*",
  "https://*.example.com",
  "https://a,b.example.com",
  "https://'self'",
  "javascript:alert(1)",
  "data:text/html,x",
  "ftp://shop.example.com/",
  "ws://shop.example.com/",
  "file:///etc/passwd",
];

test("https addresses are let through", () => {
  for (const url of good) assert.equal(addressProblem(url, "nowhere"), null, url);
});

test("everything else is refused wherever plain http may go", () => {
  for (const url of bad)
    for (const http of ["nowhere", "loopback", "anywhere"] as const)
      assert.notEqual(addressProblem(url, http), null, url);
});

for (const [url, nowhere, loopback, anywhere] of [
  ["http://localhost:3000/", false, true, true],
  ["http://127.0.0.1/", false, true, true],
  ["http://[::1]/", false, true, true],
  ["http://shop.example.com/", false, false, true],
  ["http://localhost.example.com/", false, false, true],
  ["http://127.0.0.1.example.com/", false, false, true],
] as const) {
  test(`${url} over plain http: nowhere ${nowhere}, loopback ${loopback}, anywhere ${anywhere}`, () => {
    const passes = (["nowhere", "loopback", "anywhere"] as const).map(
      (http) => addressProblem(url, http) === null,
    );
    assert.deepEqual(passes, [nowhere, loopback, anywhere]);
  });
}
