/** The sealed columns of bank files and instructions. */
import { sealedColumn } from "../../db/sealed-column.ts";
import { debtorContext } from "./adapter.ts";
import { contextOfPiece } from "./pack.ts";

export const SEALED_BANK = [
  sealedColumn("sepa_files", "content", { id: "uuid" }, ({ id }) => contextOfPiece(id, 0)),
  sealedColumn("sepa_file_pieces", "content", { file_id: "uuid", number: "integer" }, (piece) =>
    contextOfPiece(piece.file_id, piece.number),
  ),
  sealedColumn("sepa_collections", "debtor", { gateway_id: "uuid", reference: "text" }, ({ reference }) =>
    debtorContext(reference),
  ),
];
