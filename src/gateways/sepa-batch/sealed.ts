/** The sealed columns of bank files and instructions. */
import { sealedColumn } from "../../db/sealed-column.ts";
import { debtorContext } from "./adapter.ts";
import { contextOfKeys } from "./transports/ebics/session.ts";
import { contextOfPiece } from "./pack.ts";

export const SEALED_BANK = [
  sealedColumn("sepa_files", "content", { id: "uuid" }, ({ id }) => contextOfPiece(id, 0)),
  sealedColumn("sepa_file_pieces", "content", { file_id: "uuid", number: "integer" }, (piece) =>
    contextOfPiece(piece.file_id, piece.number),
  ),
  sealedColumn("ebics_users", "keys", { gateway_id: "uuid" }, ({ gateway_id }) =>
    contextOfKeys(gateway_id, "keys"),
  ),
  sealedColumn("ebics_users", "next_keys", { gateway_id: "uuid" }, ({ gateway_id }) =>
    contextOfKeys(gateway_id, "next_keys"),
  ),
  sealedColumn("ebics_users", "former", { gateway_id: "uuid" }, ({ gateway_id }) =>
    contextOfKeys(gateway_id, "former"),
  ),
  // A refund's account is sealed as that of its debit.
  sealedColumn(
    "sepa_collections",
    "debtor",
    { gateway_id: "uuid", reference: "text" },
    (row) => debtorContext(row.refund_of ?? row.reference),
    { more: ["refund_of"] },
  ),
];
