/** Gives test files the `node:test` of node-test.ts. */
import { registerHooks } from "node:module";

const TESTS = new URL("node-test.ts", import.meta.url).href;

export function isTestFile(url: string | undefined): boolean {
  return url?.endsWith(".test.ts") ?? false;
}

export function throughNodeTest(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "node:test" && isTestFile(context.parentURL) && !context.parentURL?.startsWith(TESTS)
        ? { url: `${TESTS}?for=${context.parentURL}`, shortCircuit: true }
        : next(specifier, context),
  });
}
