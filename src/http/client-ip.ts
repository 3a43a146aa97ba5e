/**
 * The client's address: behind trusted proxies, the nearest address that is not a trusted proxy (contract: Client
 * address).
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Returns a function that tells whether an address is a trusted proxy.
 * @throws Error on an invalid range.
 */
export function proxyTest(trusted: readonly string[]): (address: string) => boolean {
  const ranges = trusted.map(rangeOf);
  // The peer of a closed connection has no address.
  return (address) => isIP(address) !== 0 && ranges.some((range) => matches(address, range));
}

/**
 * Returns a function that reads the client's address from a socket's peer and X-Forwarded-For.
 * @throws Error on an invalid range.
 */
export function clientIpReader(
  trusted: readonly string[],
): (peer: string, forwardedFor: string | undefined) => string {
  const isTrusted = proxyTest(trusted);
  return (peer, forwardedFor) => {
    let client = normal(peer);
    if (trusted.length === 0 || forwardedFor === undefined) return client;
    for (const hop of forwardedFor.split(",").toReversed()) {
      const address = withoutPort(hop.trim());
      // What a trusted proxy wrote is trusted, up to the first part that is not an address.
      if (!isTrusted(client) || isIP(address) === 0) break;
      client = normal(address);
    }
    return client;
  };
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

function rangeOf(text: string): Range {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    throw new Error(`TRUSTED_PROXIES: ${text} is neither an address nor a CIDR range`);
  }
}

function matches(address: string, [range, bits]: Range): boolean {
  const parsed = ipaddr.process(address);
  return parsed.kind() === range.kind() && parsed.match(range, bits);
}

/** Some proxies write `192.0.2.1:5678`, and an IPv6 address in brackets. */
function withoutPort(hop: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([^:]*):\d{1,5})$/.exec(hop) ?? [];
  return v6 ?? v4 ?? hop;
}

/** `::ffff:192.0.2.1` is 192.0.2.1. */
function normal(address: string): string {
  return address.includes(":") ? ipaddr.process(address).toString() : address;
}

/** The address as counted by limits: IPv4 in full, IPv6 by its /64, which one customer's addresses share. */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  const parts = ipaddr.IPv6.parse(address.split("%")[0] ?? address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}
