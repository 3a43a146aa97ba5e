/** The path and query of a case, mostly of existing records. */
import { usesUp, type Case, type Fresh } from "./case.ts";
import { hostileText } from "./mutate.ts";
import type { Random } from "../random.ts";
import { valueOf } from "./values.ts";
import type { Pool } from "./world.ts";

export function pathOf(made: Case, fresh: Fresh): string {
  return made.operation.path.replace(/\{(\w+)\}/g, (_, name: string) => parameterOf(made, fresh, name));
}

function parameterOf(made: Case, fresh: Fresh, name: string): string {
  const { random, corpus } = made;
  if (random.chance(0.05))
    return encoded(random.pick(corpus.strings)).slice(0, random.pick([100, 300, 4_000]));
  if (random.chance(0.02))
    return random.pick(["%ff", "%00", "%2e%2e", "..;", "%E0%A4%A", "x%2Fy", "*", "{id}", "%"]);
  const value = realParameter(made, fresh, name);
  if (random.chance(0.04))
    return random.pick([
      value.toUpperCase(),
      value.slice(0, -1),
      `${value}a`,
      value.replace(/[0-9a-f]/, "0"),
      `${value}%20`,
    ]);
  return encoded(value);
}

function realParameter(made: Case, fresh: Fresh, name: string): string {
  const { random, world, operation } = made;
  // Some of another tenant's, which must look like unknown ones.
  const tenant = random.chance(0.06) ? random.pick([...world.shops, world.workshop]) : made.tenant;
  const any = (choices: readonly string[]) =>
    choices.length === 0 || random.chance(0.03)
      ? "018f0000-0000-7000-8000-000000000000"
      : random.pick(choices);
  if (name === "token") {
    if (operation.path.startsWith("/webhooks/")) return any(tenant.postbackTokens);
    if (operation.path.startsWith("/pay/link/")) return any(tenant.linkTokens);
    if (operation.path.startsWith("/pay/account/")) return any(tenant.accountTokens);
    return fresh.token ?? any(tenant.tokens);
  }
  if (name === "verification") return fresh.verification ?? any(tenant.verifications);
  if (name === "activity_id") return any(tenant.ids.activities);
  if (fresh.id !== undefined && tenant === made.tenant) return fresh.id;
  const pool = /(?:management|preview|\{token\})\/([\w-]+)\/\{id\}/.exec(operation.path)?.[1] as
    | Pool
    | undefined;
  if (usesUp(operation)) {
    // The caller may not access it; the operator may access every tenant.
    const other = made.tenant === world.shops[0] ? world.shops[1] : world.shops[0];
    return any(pool === undefined || pool === "tenants" ? [] : other.ids[pool]);
  }
  if (operation.path.includes("activities/{activity_id}")) return tenant.ids.integrations[0] ?? any([]);
  return any(pool === undefined ? [] : (tenant.ids[pool] ?? []));
}

export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

export function queryOf(made: Case): string {
  const { random, corpus, operation, tenant } = made;
  const pairs: (readonly [string, string])[] = [];
  for (const parameter of operation.parameters) {
    if (
      parameter.in !== "query" ||
      !random.chance(parameter.required === true || parameter.name === "link" ? 0.97 : 0.25)
    )
      continue;
    const { name } = parameter;
    const cursors = tenant.cursors[operation.path];
    const value =
      name !== "cursor"
        ? String(valueOf(made, parameter.schema, name))
        : cursors === undefined || cursors.length === 0
          ? "x"
          : random.pick(cursors);
    if (random.chance(0.12)) pairs.push([name, hostileText(random, corpus)]);
    else if (name === "cursor" && random.chance(0.4)) pairs.push([name, tampered(random, value)]);
    else pairs.push([name, value]);
    if (random.chance(0.03)) pairs.push([random.pick([name, `${name}[]`, `${name}[a]`]), value]);
  }
  if (random.chance(0.04))
    pairs.push([
      random.pick(["x", "__proto__", "constructor", "tenant", "limit", ""]),
      hostileText(random, corpus),
    ]);
  if (pairs.length === 0)
    return random.chance(0.02)
      ? random.pick(["?", "?%ff=%ff", "?&&&", "?=", `?${"a=1&".repeat(1_500)}`])
      : "";
  const query = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value.slice(0, 2_000))}`).join("&");
  return `?${query}`;
}

function tampered(random: Random, cursor: string): string {
  const at = random.integer(0, cursor.length);
  return random.pick([
    cursor.slice(0, at),
    `${cursor}A`,
    cursor.slice(0, at) + random.pick(["A", "-", "_", "é", "="]) + cursor.slice(at + 1),
    cursor.repeat(3),
  ]);
}
