/** The address under which a client is counted, as a table. */
import assert from "node:assert/strict";
import test from "node:test";
import { addressKey, clientIpReader } from "./client-ip.ts";

const TRUSTED = ["10.0.0.0/8", "192.0.2.1", "fd00::/8"];

for (const [peer, forwarded, client] of [
  ["203.0.113.7", undefined, "203.0.113.7"],
  ["203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["10.1.1.1", "198.51.100.1", "198.51.100.1"],
  ["10.1.1.1", "6.6.6.6, 198.51.100.1", "198.51.100.1"],
  ["10.1.1.1", "6.6.6.6, 198.51.100.1, 10.2.2.2", "198.51.100.1"],
  ["10.1.1.1", "10.9.9.9, 10.2.2.2", "10.9.9.9"],
  ["10.1.1.1", "198.51.100.1, nonsense", "10.1.1.1"],
  ["10.1.1.1", "", "10.1.1.1"],
  ["::ffff:10.1.1.1", "::ffff:198.51.100.1", "198.51.100.1"],
  ["fd00::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6"],
  ["192.0.2.1", "198.51.100.1", "198.51.100.1"],
  ["192.0.2.2", "198.51.100.1", "192.0.2.2"],
  ["", "198.51.100.1", ""],
  ["10.1.1.1", "198.51.100.1:5678", "198.51.100.1"],
  ["10.1.1.1", "6.6.6.6:1, 198.51.100.1:5678, 10.2.2.2:443", "198.51.100.1"],
  ["10.1.1.1", "[2001:db8::1]:443", "2001:db8::1"],
  ["10.1.1.1", "[2001:db8::1]", "2001:db8::1"],
  ["10.1.1.1", "[::ffff:198.51.100.1]:443", "198.51.100.1"],
  ["10.1.1.1", "[198.51.100.1:443", "10.1.1.1"],
  ["10.1.1.1", "198.51.100.1:port", "10.1.1.1"],
] as const) {
  test(`${peer} forwarding ${forwarded ?? "nothing"} is ${client}`, () => {
    assert.equal(clientIpReader(TRUSTED)(peer, forwarded), client);
  });
}

test("IPv6 counts by /64, IPv4 by address", () => {
  assert.equal(addressKey("203.0.113.7"), "203.0.113.7");
  assert.equal(addressKey("2001:db8:1:2::1"), addressKey("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  assert.notEqual(addressKey("2001:db8:1:2::1"), addressKey("2001:db8:1:3::1"));
});

test("an invalid range is reported at start", () => {
  assert.throws(() => clientIpReader(["10.0.0.0/99"]), /TRUSTED_PROXIES: 10\.0\.0\.0\/99/);
});
