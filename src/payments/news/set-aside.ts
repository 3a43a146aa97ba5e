/** Sets aside a notice that cannot be recorded, so that it does not block others, and retries it with growing gaps. */
import type { Deps } from "../../deps.ts";
import type { Gateway, News } from "../../gateways/gateway.ts";
import { HOUR_MS, later, MINUTE_MS } from "../../lib/clock.ts";
import { redacted } from "../../lib/log.ts";
import { forgetSetAside, setAsideOf, writeSetAside } from "./set-aside-store.ts";
import type { NewsGatewayRow } from "../store.ts";

/** One account that is asked for its news. */
export interface Pass {
  readonly account: NewsGatewayRow;
  readonly gateway: Gateway;
  readonly startedAt: Date;
  /** References skipped in this pass, so that the news of a payment stays in order. */
  readonly held: Set<string>;
  /** How often each reference that was set aside has failed. */
  readonly tries: ReadonlyMap<string, number>;
  readonly failed: string[];
}

const WHY_CHARS_MAX = 500;

/** Reads what is set aside, and not due yet. */
export async function beginPass(
  deps: Pick<Deps, "clock" | "db">,
  account: NewsGatewayRow,
  gateway: Gateway,
): Promise<Pass> {
  const startedAt = deps.clock.now();
  const all = await setAsideOf(deps.db, account.tenant, account.id);
  return {
    account,
    gateway,
    startedAt,
    held: new Set(all.filter(({ due_at }) => due_at > startedAt).map(({ reference }) => reference)),
    tries: new Map(all.map(({ reference, tries }) => [reference, tries])),
    failed: [],
  };
}

/** @throws Refusal unavailable: when the database is away nothing is set aside, and the pass ends. */
export async function setAside(
  deps: Pick<Deps, "clock" | "db" | "log">,
  pass: Pass,
  news: News,
  error: unknown,
): Promise<void> {
  const { account, held, failed } = pass;
  const { reference, kind } = news;
  const tries = (pass.tries.get(reference) ?? 0) + 1;
  const now = deps.clock.now();
  const words = redacted(error instanceof Error ? error.message : String(error));
  const row = { reference, kind, why: words.slice(0, WHY_CHARS_MAX), due_at: later(now, gapMs(tries)) };
  await writeSetAside(deps.db, account.tenant, account.id, row, now);
  held.add(reference);
  failed.push(reference);
  const about = { gateway_id: account.id, reference, news: kind, tries };
  deps.log.error("a gateway notice was set aside", error, about);
}

/** Called when every notice was seen: what was tried and did not fail again is done. */
export async function endPass(
  deps: Pick<Deps, "db">,
  { account, startedAt, tries, failed }: Pass,
): Promise<void> {
  if (tries.size > 0) await forgetSetAside(deps.db, account.tenant, account.id, startedAt, failed);
}

/** The next pass, then a minute, and twice as long each time up to an hour. */
function gapMs(tries: number): number {
  return tries === 1 ? 0 : Math.min(MINUTE_MS * 2 ** (tries - 2), HOUR_MS);
}
