/**
 * `npm run fuzz [-- --requests 5000 --seed 1 | --replay N]`: random requests to every endpoint of a real service
 * process. A case is reproduced by its seed and number, with `--requests` if it needs the cases before it.
 */
import { parseArgs } from "node:util";
import { reportOf } from "./fuzz/report.ts";
import { fuzz } from "./fuzz/run.ts";
import { temporaryServer } from "../scripts/temporary-server.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "5000" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 1_000) % 1_000_000) },
    replay: { type: "string" },
  },
});
const seed = Number(values.seed);
console.log(`seed ${seed}`);
const server = await temporaryServer();
try {
  const result = await fuzz({
    databaseUrl: server.url,
    seed,
    requests: Number(values.requests),
    ...(values.replay === undefined ? {} : { replay: Number(values.replay) }),
    onProgress: (told) => console.log(told),
  });
  console.log(reportOf(result, seed));
  process.exitCode = result.findings.length === 0 ? 0 : 1;
} finally {
  await server.stop();
}
