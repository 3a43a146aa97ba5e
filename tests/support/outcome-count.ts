/** The metric of what gateways answered. */
import type { Service } from "./service.ts";

/** How often a gateway of this adapter has answered with this outcome, since the service started. */
export async function countedOutcomes(
  { app }: Pick<Service, "app">,
  adapter: string,
  outcome: string,
): Promise<number> {
  const { body } = await app.metrics.text();
  const line = new RegExp(
    `^payment_outcomes_total\\{gateway="${adapter}",outcome="${outcome}"\\} (\\d+)$`,
    "m",
  );
  return Number(line.exec(body)?.[1] ?? 0);
}
