/**
 * `npm run prove [-- --only WORDS]`: runs every proof of a release, one after another, and prints one page: what was run, how
 * long it took, its last line (docs/reliability.md). It takes hours; it goes on after a failure and exits with 1 in the end.
 */
import { spawn } from "node:child_process";
import { cpus } from "node:os";
import { parseArgs } from "node:util";

interface Proof {
  readonly shows: string;
  /** Of npm. */
  readonly command: readonly string[];
}

const PROOFS: readonly Proof[] = [
  { shows: "every guarantee that a test names", command: ["test"] },
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
    command: ["run", "mutate", "--", "--sample", "40", "--minutes", "240"],
  },
];

const { values: options } = parseArgs({ options: { only: { type: "string", default: "" } } });
process.exitCode = await main(options.only);

async function main(only: string): Promise<number> {
  const chosen = PROOFS.filter(({ command }) => command.join(" ").includes(only));
  if (chosen.length === 0) {
    console.error(`No proof has "${only}" in its command.`);
    return 2;
  }
  const lines: string[] = [];
  let failed = 0;
  for (const proof of chosen) {
    const { code, seconds, last } = await run(proof.command);
    if (code !== 0) failed += 1;
    lines.push(
      `| ${proof.shows} | \`npm ${proof.command.join(" ")}\` | ${code === 0 ? "held" : "**failed**"} | ${seconds} s | ${last} |`,
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
    ].join("\n"),
  );
  return failed === 0 ? 0 : 1;
}

interface Ran {
  readonly code: number;
  readonly seconds: number;
  readonly last: string;
}

/** What it prints is printed as it comes. */
function run(command: readonly string[]): Promise<Ran> {
  const began = performance.now();
  const child = spawn("npm", [...command], { stdio: ["ignore", "pipe", "inherit"] });
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
