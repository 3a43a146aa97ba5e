/** The sealed columns of mandates and their amendments. */
import { sealedColumn } from "../db/sealed-column.ts";
import { formerContext, ibanContext, presentationContext } from "./account.ts";

export const SEALED_MANDATES = [
  sealedColumn("mandates", "iban_sealed", { id: "uuid" }, ({ id }) => ibanContext(id), {
    alongside: {
      column: "iban_fingerprint",
      make: (keys, tenant, iban) => keys.fingerprints(tenant, iban.toString())[0],
    },
  }),
  sealedColumn("mandates", "wallet_presentation", { id: "uuid" }, ({ id }) => presentationContext(id)),
  sealedColumn(
    "mandate_amendments",
    "original_iban_sealed",
    { mandate_id: "uuid", number: "integer" },
    ({ mandate_id, number }) => formerContext({ mandateId: mandate_id, number }),
  ),
];
