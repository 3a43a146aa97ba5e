/** `management/needs-attention/`: what waits for a person, with the list that shows it. */
import { Type } from "../../lib/schema.ts";
import type { Reader } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { oneOf } from "../../http/fields.ts";
import { MANAGEMENT } from "../../management/resource-routes.ts";
import { COUNTED_MAX, countAttention, ATTENTION_KINDS, type AttentionKind } from "./store.ts";

/** The list that shows it, below management/. */
const LISTS: Readonly<Record<AttentionKind, string>> = {
  held_after_restore: "restores/?held=true",
  unclear_files: "sepa-files/?status=unclear",
  files_held: "sepa-files/?held=true",
  files_not_taken: "sepa-files/?not_taken=true",
  files_not_approved: "sepa-files/?status=withdrawn",
  stopped_bank_users: "ebics/?state=stopped",
  files_to_approve: "sepa-files/?status=to_approve",
  files_to_download: "sepa-files/?status=ready",
  stopped_campaigns: "campaigns/",
  held_refunds: "transactions/?held=true",
  unmatched_entries: "unmatched/?status=open",
  statement_gaps: "sepa-statements/?gap=true",
  unlinked_chargebacks: "chargebacks/?linked=false",
  news_set_aside: "news-set-aside/",
  exhausted_deliveries: "webhook-deliveries/?status=exhausted",
  switched_off_receivers: "webhook-profiles/",
  past_due_subscriptions: "subscriptions/?status=PAST_DUE",
  cycles_collected_twice: "subscriptions/?collected_twice=true",
  payments_collected_twice: "transactions/?collected_twice=true",
  unresolved_payments: "transactions/?status=pending",
  lapsing_mandates: "mandates/?lapsing=true",
};

const Answer = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        kind: oneOf(ATTENTION_KINDS),
        count: Type.Integer({ description: `At most ${COUNTED_MAX}; see more.` }),
        more: Type.Boolean({ description: `There are more than ${COUNTED_MAX}.` }),
        list: Type.String({ description: "The path of what waits." }),
      }),
      { description: "Only what waits, the most urgent first." },
    ),
  },
  { $id: "NeedsAttention" },
);

/** Declares the endpoint. */
export function attentionRoutes(router: Router, deps: Deps): void {
  router.add("GET", `${MANAGEMENT}needs-attention/`, {
    summary: "Count what waits for a person",
    tag: "Customers",
    access: "read",
    schema: { response: { 200: Answer } },
    async handle(call) {
      return {
        status: 200,
        body: { results: await needsAttention({ ...deps, db: deps.reports }, tenantOf(call)) },
      };
    },
  });
}

/** A kind with waiting items. */
export interface Waiting {
  readonly kind: AttentionKind;
  readonly count: number;
  readonly more: boolean;
  readonly list: string;
}

/** What waits, most urgent first; kinds without waiting items are omitted. */
export async function needsAttention(
  { db, time }: Pick<Deps, "time"> & { readonly db: Reader },
  tenant: number,
): Promise<readonly Waiting[]> {
  const counts = await countAttention(db, tenant, time.now(tenant));
  return ATTENTION_KINDS.filter((kind) => counts[kind] > 0).map((kind) => ({
    kind,
    count: Math.min(counts[kind], COUNTED_MAX),
    more: counts[kind] > COUNTED_MAX,
    list: `${MANAGEMENT}${LISTS[kind]}`,
  }));
}
