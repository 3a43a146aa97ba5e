/**
 * Stands for `node:test` in the process that asks a test file about mutants (asking.ts): it collects the tests and
 * hooks of the file, so that each test can run many times.
 */
import { mock, type TestContext } from "node:test";

export { mock };

type Hook = () => unknown;
type Body = (t: TestContext) => unknown;

export interface Collected {
  readonly name: string;
  readonly body: Body;
}

export const tests: Collected[] = [];
export const befores: Hook[] = [];
export const afters: Hook[] = [];
const beforeEachs: Hook[] = [];
const afterEachs: Hook[] = [];

export const before = (work: Hook): void => void befores.push(work);
export const after = (work: Hook): void => void afters.push(work);
export const beforeEach = (work: Hook): void => void beforeEachs.push(work);
export const afterEach = (work: Hook): void => void afterEachs.push(work);

function collect(name: string, options: object | Body, body?: Body): void {
  const given = typeof options === "function" ? (options as Body) : body;
  const { skip = false, todo = false } = (typeof options === "function" ? {} : options) as {
    readonly skip?: unknown;
    readonly todo?: unknown;
  };
  if (given !== undefined && skip === false && todo === false) tests.push({ name, body: given });
}

export const test = Object.assign(collect, { before, after, beforeEach, afterEach });
// oxlint-disable-next-line import/no-default-export -- it stands for a module that has one
export default test;

/** The tests of a suite count as those of its file. */
export const describe = async (_name: string, options: object | Hook, body?: Hook): Promise<void> => {
  await (typeof options === "function" ? (options as Hook) : body)?.();
};

/** Runs one test with the hooks around it. @throws what the test throws. */
export async function runCollected({ name, body }: Collected): Promise<void> {
  const own: Hook[] = [];
  const context = {
    name,
    mock,
    signal: new AbortController().signal,
    after: (work: Hook) => void own.push(work),
    diagnostic: () => {},
    skip: () => {},
    test: async (_name: string, work: Body) => {
      await work(context);
    },
  } as unknown as TestContext;
  try {
    for (const work of beforeEachs) await work();
    await body(context);
  } finally {
    for (const work of own.toReversed()) await work();
    for (const work of afterEachs) await work();
    mock.reset();
  }
}
