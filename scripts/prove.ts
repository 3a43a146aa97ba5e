/**
 * `npm run prove [-- --only WORDS] [--list]`: runs all tests of a release, one after another, and prints one page
 * with the command, duration and last line of each (docs/reliability.md). It takes hours; it continues after a
 * failure and then exits with 1. `--list` prints the page without running anything.
 */
import { spawn } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Proof {
  readonly shows: string;
  /** Of npm. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const PROOFS: readonly Proof[] = [
  {
    shows: "every guarantee that a test names, in all of its cases",
    command: ["test"],
    // The files that are listed below the table run all of their cases (tests/support/sized.ts).
    env: { PROVE: "1" },
  },
  {
    shows: "fleets that are rotated, upgraded, backed up, restored and killed",
    command: ["run", "test:long"],
    env: { PROVE: "1" },
  },
  {
    shows: "the whole service under trouble, and that all of it was reached",
    command: ["run", "simulate", "--", "--seeds", "10000", "--coverage", "--budget"],
  },
  {
    shows: "weeks at the merchant's own bank, and that all of it was reached",
    command: ["run", "simulate:bank", "--", "--seeds", "200", "--coverage"],
  },
  { shows: "the simulations notice planted bugs", command: ["run", "simulate", "--", "--planted"] },
  { shows: "real processes, killed and cut off", command: ["run", "chaos", "--", "--minutes", "10"] },
  { shows: "made-up requests to every endpoint", command: ["run", "fuzz", "--", "--requests", "80000"] },
  {
    shows: "three years of renewals on four processes",
    command: ["run", "simulate:billing", "--", "10000", "36"],
  },
  {
    shows: "small changes of the money core are noticed",
    command: ["run", "mutate", "--", "--sample", "1000", "--minutes", "240"],
  },
];

const { values: options } = parseArgs({
  options: { only: { type: "string", default: "" }, list: { type: "boolean", default: false } },
});
process.exitCode = await main(options);

async function main({ only, list }: { only: string; list: boolean }): Promise<number> {
  const chosen = PROOFS.filter(({ command }) => command.join(" ").includes(only));
  if (chosen.length === 0) {
    console.error(`No proof has "${only}" in its command.`);
    return 2;
  }
  const lines: string[] = [];
  let failed = 0;
  for (const proof of chosen) {
    const command = [
      ...Object.entries(proof.env ?? {}).map(([name, value]) => `${name}=${value}`),
      "npm",
      ...proof.command,
    ].join(" ");
    if (list) {
      lines.push(`| ${proof.shows} | \`${command}\` | | | |`);
      continue;
    }
    const { code, seconds, last } = await run(proof);
    if (code !== 0) failed += 1;
    lines.push(
      `| ${proof.shows} | \`${command}\` | ${code === 0 ? "held" : "**failed**"} | ${seconds} s | ${last} |`,
    );
  }
  console.log(
    [
      "",
      `# Proofs, ${process.platform}-${process.arch}, ${cpus().length} cores, Node ${process.version}`,
      "",
      "| Shows | Command | Result | Time | Last line |",
      "|---|---|---|---|---|",
      ...lines,
      "",
      "Tests with more cases here than in `npm test`:",
      "",
      ...(await sizedTests()).map((file) => `- \`${file}\``),
    ].join("\n"),
  );
  return failed === 0 ? 0 : 1;
}

/** The test files whose size depends on `PROVE`. */
async function sizedTests(): Promise<readonly string[]> {
  const root = join(import.meta.dirname, "..");
  const files = await Array.fromAsync(glob("{src,tests,tools}/**/*.test.ts", { cwd: root }));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
  return files.filter((_, n) => texts[n]?.includes('/sized.ts"')).toSorted();
}

interface Ran {
  readonly code: number;
  readonly seconds: number;
  readonly last: string;
}

/** Its output is printed at once. */
function run({ command, env = {} }: Proof): Promise<Ran> {
  const began = performance.now();
  const child = spawn("npm", [...command], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  let last = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    process.stdout.write(text);
    last =
      text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .at(-1) ?? last;
  });
  return new Promise((resolve) => {
    child.on("close", (code) =>
      resolve({
        code: code ?? 1,
        seconds: Math.round((performance.now() - began) / 1_000),
        last: last.trim(),
      }),
    );
  });
}
