/**
 * Allowed webhook targets: public addresses over https, checked on the address that is dialled (contract: Webhook
 * targets).
 */
import { BlockList, isIP } from "node:net";

/** Why a target is refused. */
export class TargetRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "TargetRefused";
  }
}

export interface TargetRules {
  /** The operator's option for staging and tests: loopback and private addresses, plain http, any port. */
  readonly allowPrivate: boolean;
  /** Ports of the service's own database and counters, to which nothing is sent on any host. */
  readonly ownPorts?: ReadonlySet<number>;
}

/**
 * The URL to send to, if its text is allowed. Names are checked again when they are resolved.
 * @throws TargetRefused.
 */
export function readTarget(text: string, { allowPrivate, ownPorts }: TargetRules): URL {
  const url = parsed(text);
  const port = Number(url.port);
  if (url.username !== "" || url.password !== "") throw new TargetRefused("The URL contains a user name.");
  if (NOT_WEB.has(port) || ownPorts?.has(port) === true)
    throw new TargetRefused(`Port ${url.port} is not a web server port.`);
  if (allowPrivate) return url;
  if (url.protocol !== "https:") throw new TargetRefused("The URL is not https.");
  if (!isUsualPort(url.port)) throw new TargetRefused(`Port ${url.port} is not a web server port.`);
  if (isInside(url)) throw new TargetRefused("The host is not public.");
  return url;
}

/** Whether an address, in any notation of URLs or resolvers, belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const plain = canonicalAddress(address);
  if (plain === null) return false;
  const mapped = IPV4_MAPPED.exec(plain);
  if (mapped !== null) return isPublicAddress(dotted(mapped[1] ?? "", mapped[2] ?? ""));
  if (isIP(plain) === 4) return !SPECIAL_IPV4.check(plain, "ipv4");
  return GLOBAL_IPV6.check(plain, "ipv6") && !SPECIAL_IPV6.check(plain, "ipv6");
}

/** A backslash, a missing slash or a control character is interpreted differently by different parsers. */
// oxlint-disable-next-line no-control-regex
const UNAMBIGUOUS = /^https?:\/\/[^\u0000-\u0020\\\u007f-\u00a0]+$/i;

function parsed(text: string): URL {
  if (!UNAMBIGUOUS.test(text) || !URL.canParse(text)) throw new TargetRefused("The URL is not valid.");
  return new URL(text);
}

/** Ports above 1023 at which something other than a web server usually listens. */
const NOT_WEB = new Set(
  [1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 5984, 6379, 6443].concat([
    6660, 6665, 6666, 6667, 6668, 6669, 6697, 8086, 9042, 9092, 9100, 9200, 9300, 10250, 11211, 27017,
  ]),
);

/** 443 is the empty text in a parsed URL. */
function isUsualPort(port: string): boolean {
  return port === "" || Number(port) > 1_023;
}

/** Names that only exist inside a network: single labels and reserved endings (RFC 6761, 6762, 8375, 9476). */
const INSIDE =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa|test|invalid|onion|alt)$/;

function isPublicName(host: string): boolean {
  const name = host.replace(/\.$/, "").toLowerCase();
  return name.includes(".") && !INSIDE.test(name);
}

/** Whether a URL's host is, by its text alone, an address or name inside a network. */
export function isInside({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? !isPublicName(host) : !isPublicAddress(host);
}

/**
 * One notation per address: URLs write IPv6 in its shortest form. Null for a zone (`%lo`) and for an invalid address.
 */
function canonicalAddress(address: string): string | null {
  if (isIP(address) === 4) return address;
  const url = `http://[${address}]/`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null;
}

const IPV4_MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

function dotted(high: string, low: string): string {
  const bytes = Buffer.from(high.padStart(4, "0") + low.padStart(4, "0"), "hex");
  return [...bytes].join(".");
}

/** The special-purpose registries of IANA (RFC 6890 and its successors). */
const SPECIAL_IPV4 = subnets("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);

/** Everything else (loopback, unique local, link local, multicast, NAT64, IPv4-compatible) lies outside. */
const GLOBAL_IPV6 = subnets("ipv6", [["2000::", 3]]);
const SPECIAL_IPV6 = subnets("ipv6", [
  ["2001::", 23], // Teredo, benchmarking, ORCHID and other protocol assignments
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4 carries any IPv4 address
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
]);

function subnets(
  family: "ipv4" | "ipv6",
  ranges: readonly (readonly [network: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}
