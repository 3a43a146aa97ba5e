import assert from "node:assert/strict";
import test from "node:test";
import { given, UsageError } from "./command.ts";

const CHECK = "sepa check FILE [--on YYYY-MM-DD] [--bank PROFILE]";
const COLLECT = "sepa collect [--gateway ID]";

test("a command accepts the options and operands of its usage", () => {
  const { options, operands } = given({ usage: CHECK }, ["a.xml", "--on=2026-12-01", "--bank", "generic"]);
  assert.deepEqual({ ...options }, { on: "2026-12-01", bank: "generic" });
  assert.deepEqual(operands, ["a.xml"]);
  assert.deepEqual(given({ usage: "export FILE|-" }, ["-"]).operands, ["-"]);
  assert.deepEqual(
    given({ usage: "sepa import --gateway ID FILE…" }, ["a", "b", "--gateway", "G"]).operands,
    ["a", "b"],
  );
});

for (const [usage, args, message] of [
  ["books check", "--gateway x", "--gateway is not an option of this command. It has no options."],
  [COLLECT, "--due 2026-12-01", "--due is not an option of this command. Its only option is --gateway."],
  [CHECK, "a.xml --due=x", "--due is not an option of this command. Its options are --on, --bank."],
  [CHECK, "a.xml -o", "-o is not an option of this command. Its options are --on, --bank."],
  [COLLECT, "--Gateway x", "--Gateway is not an option of this command. Its only option is --gateway."],
  [COLLECT, "PSB", 'Unexpected argument: "PSB".'],
  [CHECK, "a.xml b.xml", 'Unexpected argument: "b.xml".'],
  ["restored hold", "now", 'Unexpected argument: "now".'],
  [COLLECT, "--gateway", "Option '--gateway <value>' argument missing"],
] as const)
  test(`${usage}, called with ${args}, is refused: ${message}`, () =>
    assert.throws(() => given({ usage }, args.split(" ")), new UsageError(message)));
