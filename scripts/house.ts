/** The folders of src/: the order in which they may import each other, and a diagram of their imports. */
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

/**
 * From the lowest to the highest: a folder may import itself and the lines before its own, but no neighbour on its
 * line (docs/architecture.md). A file with a line before its folder's has SQL fragments for its folder's tables,
 * which folders between the two need.
 */
export const ARROW: readonly (readonly string[])[] = [
  ["lib"],
  ["refusals.ts"],
  ["files"],
  ["sepa"],
  ["db", "embedded-postgres", "http"],
  ["banks", "backup"],
  ["deps.ts"],
  ["management"],
  ["messages/outbox.ts", "messages/recipient.ts", "messages/notice-conditions.ts", "people/open-session.ts"],
  ["tenants"],
  ["webhooks"],
  ["people", "subscriptions/writes.ts", "sessions/leads.ts", "sessions/repay/writes.ts"],
  ["mandates"],
  ["gateways"],
  ["payments"],
  ["subscriptions"],
  ["sessions"],
  ["payment-page", "reconciliation", "reports", "integrations", "books"],
  ["messages"],
  ["privacy"],
  ["keys", "operator"],
  ["console"],
  ["jobs.ts", "management-routes.ts"],
  ["config.ts"],
  ["app.ts"],
  ["start-database.ts", "start-schema.ts"],
  ["commands"],
  ["main.ts", "cli.ts"],
];

/** Where the diagram stands in docs/architecture.md. */
const BEGIN = "<!-- Generated from the imports in src/: npm run generate. -->";
const END = "<!-- End of the generated diagram. -->";

/** Files at the top level and the lowest folder would only add edges to everything. */
const LEFT_OUT = /^lib$|\.ts$/;

/** The page with its present diagram. */
export function withDiagram(page: string, diagram: string): string {
  const [before, rest = ""] = page.split(BEGIN);
  const after = rest.slice(rest.indexOf(END));
  return `${before}${BEGIN}\n\n${diagram}\n${after}`;
}

/** The folders and their imports as Mermaid, without the edges that others imply. */
export async function houseDiagram(root: string): Promise<string> {
  const imports = await importsByFolder(root);
  const folders = ARROW.flat().filter((place) => !LEFT_OUT.test(place));
  const edges = folders.flatMap((from) =>
    direct(imports, from)
      .filter((to) => folders.includes(to))
      .map((to) => `  ${idOf(from)} --> ${idOf(to)}`),
  );
  const nodes = folders.map((folder) => `  ${idOf(folder)}["${folder}/"]`);
  return ["```mermaid", "flowchart TD", ...nodes.toReversed(), ...edges.toReversed(), "```", ""].join("\n");
}

/** A folder's imports, without those implied by others. */
function direct(imports: ReadonlyMap<string, ReadonlySet<string>>, from: string): readonly string[] {
  const all = [...(imports.get(from) ?? [])].filter((to) => to !== from);
  const implied = new Set(all.flatMap((to) => [...reached(imports, to)]));
  return all.filter((to) => !implied.has(to)).toSorted();
}

/** Everything below a folder, without itself. */
function reached(imports: ReadonlyMap<string, ReadonlySet<string>>, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...(imports.get(from) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === from || found.has(next)) continue;
    found.add(next);
    open.push(...(imports.get(next) ?? []));
  }
  return found;
}

/** The folders that each folder of src/ imports; deps.ts has only types and does not count. */
async function importsByFolder(root: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  const paths = await Array.fromAsync(glob("**/*.ts", { cwd: root }));
  for (const path of paths.filter((one) => !one.endsWith(".test.ts"))) {
    const text = await readFile(join(root, path), "utf8");
    const place = placeOf(path);
    const targets = found.get(place) ?? new Set();
    for (const [, name = ""] of text.matchAll(/\bfrom "(\.[^"]+)";/g))
      targets.add(placeOf(normalize(join(dirname(path), name))));
    targets.delete("deps.ts");
    found.set(place, targets);
  }
  return found;
}

const FILES_BELOW: ReadonlySet<string> = new Set(ARROW.flat().filter((place) => place.includes("/")));

/** The entry of `ARROW` for a path below src/: the file, or its folder. */
export function placeOf(path: string): string {
  return FILES_BELOW.has(path) ? path : (path.split("/")[0] ?? path);
}

function idOf(folder: string): string {
  return folder.replaceAll("-", "_");
}
