/** The lines and named statements that each test of a file runs, from V8's coverage in the test's process. */
import { appendFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** What one test ran; `name` is null for imports and hooks. */
export interface Trace {
  readonly name: string | null;
  readonly ms: number;
  /** Of each source file, by its path below the repository: what ran, as `[start, end]` in its text. */
  readonly files: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  readonly statements: readonly string[];
}

const ROOT = new URL("../../", import.meta.url);
const OUT = process.env["MUTATE_RECORD"] ?? "";
let session: Session | null = null;
let statements = new Set<string>();

export function recording(): boolean {
  return session !== null;
}

export function sawStatement(name: string): void {
  statements.add(name);
}

export async function beginRecording(): Promise<void> {
  session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
}

/** Records what has run since the last call. @param test null for code outside tests. */
export async function endTest(test: { readonly name: string; readonly ms: number } | null): Promise<void> {
  if (session === null) return;
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files: Record<string, readonly (readonly [number, number])[]> = {};
  for (const { url, functions } of result) {
    if (!url.startsWith(`${ROOT.href}src/`) || url.endsWith(".test.ts")) continue;
    const ran = covered(functions.map(({ ranges }) => ranges));
    if (ran.length > 0) files[relative(fileURLToPath(ROOT), fileURLToPath(url))] = ran;
  }
  const trace: Trace = {
    name: test?.name ?? null,
    ms: Math.round(test?.ms ?? 0),
    files,
    statements: [...statements],
  };
  statements = new Set();
  appendFileSync(OUT, `${JSON.stringify(trace)}\n`);
}

interface Counted {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** The ranges that ran: of nested ranges the innermost counts. */
export function covered(functions: readonly (readonly Counted[])[]): readonly (readonly [number, number])[] {
  const ranges = functions
    .flat()
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const stretches: [number, number][] = [];
  const open: Counted[] = [];
  let at = 0;
  const upTo = (end: number): void => {
    const inner = open.at(-1);
    if (inner !== undefined && inner.count > 0 && end > at) {
      const last = stretches.at(-1);
      if (last?.[1] === at) last[1] = end;
      else stretches.push([at, end]);
    }
    at = Math.max(at, end);
  };
  for (const range of ranges) {
    for (let inner = open.at(-1); inner !== undefined && inner.endOffset <= range.startOffset;) {
      upTo(inner.endOffset);
      open.pop();
      inner = open.at(-1);
    }
    upTo(range.startOffset);
    open.push(range);
  }
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    upTo(inner.endOffset);
    open.pop();
  }
  return stretches;
}
