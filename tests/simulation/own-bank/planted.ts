/** Small defects around the merchant's own bank, each put into a copy of the service for the simulation of the bank to find. */
import type { PlantedBug } from "../planted.ts";

const bug = (name: string, file: string, from: string, to: string): PlantedBug => ({
  name: `bank: ${name}`,
  changes: [{ file, from, to }],
  sql: "",
  script: "scripts/simulate-bank.ts",
});

export const PLANTED_AT_THE_BANK: readonly PlantedBug[] = [
  bug(
    "a refund is written although the debit came back while it waited",
    "sepa-files/stopped-store.ts",
    "when c.refund_of is not null and (o.state is distinct from 'settled' or p.status = 'charged_back') then 'back'",
    "when c.refund_of is not null and o.reference is null then 'back'",
  ),
  bug(
    "a refund goes to the account that was given at the payment",
    "sepa-files/outgoing-store.ts",
    "debtor = coalesce(b.debtor, c.debtor),",
    "debtor = c.debtor,",
  ),
  bug(
    "FRST is said of each collection of a mandate",
    "sepa-files/outgoing-store.ts",
    "where u.tenant = $1 and u.mandate_id = m.id and u.state in ('batched', 'settled', 'returned')) as mandate_unused",
    "where u.tenant = $1 and u.mandate_id = m.id and u.state in ('fenced')) as mandate_unused",
  ),
  bug(
    "a mandate's change counts as told although the bank rejected the file",
    "gateways/sepa/store.ts",
    "and told.state in ('settled', 'returned')))`;",
    "and told.state in ('batched', 'rejected', 'settled', 'returned')))`;",
  ),
  bug(
    "an account whose identifier changed debits old mandates under the new one unannounced",
    "sepa-files/collect.ts",
    'amendments.get(row.mandate_id ?? "") ?? [], first',
    '(amendments.get(row.mandate_id ?? "") ?? []).filter(({ kind }) => kind !== "creditor"), first',
  ),
  bug(
    "what names one of ours and was not understood is ignored",
    "sepa-files/apply-items.ts",
    "if (!namesIn(item.ids).some((name) => ours.has(name))) return",
    "if (ours.size >= 0) return",
  ),
  bug(
    "a cancelled mandate is debited",
    "sepa-files/stopped-store.ts",
    "when c.refund_of is null and m.status in ('rejected', 'cancelled', 'expired') then 'mandate'",
    "when c.refund_of is null and m.status in ('rejected', 'expired') then 'mandate'",
  ),
];
