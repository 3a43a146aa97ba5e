/** Named parameters of statements, as tables. */
import assert from "node:assert/strict";
import test from "node:test";
import { ordered, sql, type Values } from "./database.ts";

const TEXTS = [
  ["select :b, :a, :b", "select $1, $2, $1", ["b", "a"]],
  ["select :a::uuid[], x::text", "select $1::uuid[], x::text", ["a"]],
  ["select to_char(t, 'HH24:mi:ss'), ':a', :a", "select to_char(t, 'HH24:mi:ss'), ':a', $1", ["a"]],
  ["select 'it''s :a', :b", "select 'it''s :a', $1", ["b"]],
  ["select xs[1:2], :gatewayId_2", "select xs[1:2], $1", ["gatewayId_2"]],
  ["-- a job's :a\n select :b", "-- a job's :a\n select $1", ["b"]],
  ["select $1, $2", "select $1, $2", []],
] as const;

for (const [index, [text, positional, params]] of TEXTS.entries()) {
  test(`${text} is prepared as ${positional}`, () => {
    const statement = sql(`test.named_${index}`, text);
    assert.equal(statement.text, positional);
    assert.deepEqual(statement.params, params);
  });
}

test("values are given by name and sent in the order of the text; null is a value, a missing one is an error", () => {
  const statement = sql("test.ordered", "select :b, :a, :b");
  assert.deepEqual(ordered(statement, { a: 1, b: null }), [null, 1]);
  assert.throws(() => ordered(statement, { a: 1 }), /test.ordered is given :b/);
});

test("a missing or unknown parameter does not compile, in a statement or in a fragment", () => {
  const fragment = "join gateways g on g.tenant = :tenant" as const;
  const statement = sql("test.typed", `select g.id from leads l ${fragment} where l.id = :id::uuid`).gives<{
    readonly id: string;
  }>();
  type Params = NonNullable<(typeof statement)["params"]>[number];
  const both: Record<Params, number> = { tenant: 1, id: 2 };
  // @ts-expect-error undefined is not a value
  const undefinedId: Values<Params> = { tenant: 1, id: undefined };
  // @ts-expect-error id is missing
  const missing: Record<Params, number> = { tenant: 1 };
  // @ts-expect-error there is no gateway
  const tooMany: Record<Params, number> = { tenant: 1, id: 2, gateway: 3 };
  assert.deepEqual(
    [both, undefinedId, missing, tooMany].map((values) => Object.keys(values).length),
    [2, 2, 1, 3],
  );
});
