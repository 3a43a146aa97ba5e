/** Damages valid bodies: a field missing, doubled, of the wrong type, out of bounds or hostile; then the bytes. */
import type { Corpus } from "./corpus.ts";
import type { Random } from "../random.ts";

type Container = Record<string, unknown> | unknown[];

/** Changes one to three places of a body. */
export function mutated(random: Random, corpus: Corpus, body: unknown): unknown {
  const copy: unknown = structuredClone(body);
  if (typeof copy !== "object" || copy === null) return hostileValue(random, corpus);
  for (let times = random.integer(1, 3); times > 0; times -= 1) mutateOnce(random, corpus, copy as Container);
  return copy;
}

function hostileValue(random: Random, corpus: Corpus): unknown {
  if (random.chance(0.65)) return random.pick(corpus.strings);
  // A copy, because the next mutation may change its inside.
  return structuredClone(random.pick(corpus.values));
}

export function hostileText(random: Random, corpus: Corpus): string {
  return textOf(hostileValue(random, corpus));
}

/** A value where only text fits. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function mutateOnce(random: Random, corpus: Corpus, root: Container): void {
  const places = placesOf(root);
  if (places.length === 0 || random.chance(0.1)) {
    set(
      root,
      random.pick(["extra", "id", "tenant", "__proto__", "constructor", ""]),
      hostileValue(random, corpus),
    );
    return;
  }
  const [container, name] = random.pick(places);
  const value = (container as Record<string, unknown>)[name];
  if (random.chance(0.2)) {
    Reflect.deleteProperty(container, name);
    return;
  }
  set(
    container,
    name,
    harmless(name, random.chance(0.2) ? wrapped(random, value) : hostileValue(random, corpus)),
  );
}

function wrapped(random: Random, value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return random.pick([
    [value],
    { value },
    text,
    Number(text),
    `${text} `,
    ` ${text}`,
    `${text}\u0000`,
    text.repeat(50),
    [value, value],
  ]);
}

/** The service calls these addresses, so none may belong to a third party. */
function harmless(name: string, value: unknown): unknown {
  if (!/^(read_)?url$/.test(name) || typeof value !== "string") return value;
  const host = URL.canParse(value) ? new URL(value).hostname : "";
  return host === "" || host.endsWith(".invalid") || host === "127.0.0.1"
    ? value
    : `https://${"a".repeat(40)}.invalid/`;
}

/** As an own property, even if the name is `__proto__`. */
function set(container: Container, name: string, value: unknown): void {
  Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true });
}

function placesOf(value: unknown): readonly (readonly [Container, string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [value as Container, name] as const,
    ...placesOf(inner),
  ]);
}

/** A body's bytes, sometimes damaged. */
export function bytesOf(random: Random, corpus: Corpus, body: unknown): Buffer {
  if (random.chance(0.04)) return random.pick(corpus.bodies);
  const text = JSON.stringify(body) ?? "";
  if (!random.chance(0.06)) return Buffer.from(text);
  const at = random.integer(0, text.length);
  const damages: readonly (() => string | Buffer)[] = [
    () => text.slice(0, at),
    () => `${text}${text}`,
    () => `${text.slice(0, -1)},}`,
    () => `${text.slice(0, -1)}${text.length > 2 ? "," : ""}"name":"twice","name":"thrice"}`,
    () => text.replace(/^\{/, '{"lead":1,"iban":2,"amount":3,'),
    () => `${text.slice(0, at)}\u0000${text.slice(at)}`,
    () =>
      Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([random.integer(0x80, 0xff)]),
        Buffer.from(text.slice(at)),
      ]),
    () => ` \r\n${text}\n`,
  ];
  return Buffer.from(random.pick(damages)());
}
