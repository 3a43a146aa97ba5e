/** Planted bugs that only seeds from 40,000 on can find. Each needs the action of one extra (`trouble.ts`). */
import { bug } from "../../planted/at-the-bank.ts";
import { guarded } from "../../planted/guarded.ts";
import type { PlantedBug } from "../planted.ts";

export const PLANTED_FOR_EXTRAS: readonly PlantedBug[] = [
  guarded(
    bug(40_000, "a second movement of a day counts as known if another file has reported the first", {
      file: "gateways/sepa-batch/incoming/apply-items.ts",
      from: "  reported.add(key);",
      to: "  if (instruction.booked[booking.movement] === undefined) reported.add(key);",
    }),
    ["tests/sepa/resolutions.test.ts", "a second movement of the same day needs a person"],
  ),
  guarded(
    bug(41_012, "a second movement of a day counts as known if another page has reported the first", {
      file: "gateways/sepa-batch/incoming/statements/pages.ts",
      from: "if (this.statement === null || names.length === 0) return new Map();",
      to: "if (names.length >= 0) return new Map();",
    }),
    ["tests/sepa/resolutions.test.ts", "a movement on the same page of a"],
  ),
  bug(40_001, "a chargeback in a file ends a payment that has not settled", {
    file: "payments/imports/chargebacks.ts",
    from: "const why = whyNotChargeable(original);",
    to: 'const why = original.status === "pending" ? null : whyNotChargeable(original);',
  }),
  bug(
    40_030,
    "a debit of an account abroad goes into a file of the old version, to which the account changed",
    {
      file: "gateways/sepa-batch/outgoing/instructions.ts",
      from: 'if (!hasAddresses(version)) throw new SepaFileRefused("address", reference, NO_ADDRESSES);',
      to: "if (!hasAddresses(version)) return null;",
    },
  ),
  bug(40_007, "an upload continues after its lease, although another instance has done it", {
    file: "gateways/sepa-batch/outgoing/send.ts",
    from: 'if (!(await recordStep(deps, file, "renaming"))) return false;',
    to: 'await recordStep(deps, file, "renaming");',
  }),
  bug(40_015, "a payment that recovery gave up is continued by the paused instance", {
    file: "gateways/sepa-batch/books-store.ts",
    from: ":reasonCode, :now, :now, :scheme)\n       on conflict (tenant, gateway_id, reference) do update set asked_count = sepa_collections.asked_count + 1\n",
    to: ":reasonCode, :now, :now, :scheme)\n       on conflict (tenant, gateway_id, reference) do update set asked_count = sepa_collections.asked_count + 1, state = case when sepa_collections.state = 'fenced' then excluded.state else sepa_collections.state end, amount = excluded.amount, currency = excluded.currency, recurring = excluded.recurring, mandate_reference = excluded.mandate_reference, mandate_signed_on = excluded.mandate_signed_on, debtor_name = excluded.debtor_name, debtor = coalesce(sepa_collections.debtor, excluded.debtor), remittance = excluded.remittance, not_before = excluded.not_before, scheme = excluded.scheme\n",
  }),
];
