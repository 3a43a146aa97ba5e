/** The folders of src/: the order in which they may import each other, and a diagram of what they do import. */
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

/**
 * From the ground floor up: a place may import itself and the lines before its own, no neighbour on its line
 * (docs/architecture.md). A file with a line before its folder's holds what folders between the two need of it: the SQL
 * fragments for tables that its folder owns.
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
  ["messages/outbox.ts", "messages/recipient.ts", "messages/told.ts", "people/open-session.ts"],
  ["tenants"],
  ["webhooks"],
  ["people", "subscriptions/writes.ts", "sessions/leads.ts"],
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

/** Files at the top and the ground floor would only add edges to everything. */
const LEFT_OUT = /^lib$|\.ts$/;

/** The page with its diagram made anew. */
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

/** What a folder imports and no folder that it imports leads to. */
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

/** Which folders each folder of src/ imports; deps.ts only names types, so it leads nowhere. */
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

/** What stands in `ARROW` for a path below src/: the file itself, or its folder there. */
export function placeOf(path: string): string {
  return FILES_BELOW.has(path) ? path : (path.split("/")[0] ?? path);
}

function idOf(folder: string): string {
  return folder.replaceAll("-", "_");
}
