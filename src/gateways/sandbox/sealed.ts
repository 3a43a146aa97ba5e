/** The sealed column of the sandbox's books. */
import { sealedColumn } from "../../db/sealed-column.ts";
import { returnUrlContext } from "./sandbox.ts";

export const SEALED_SANDBOX = [
  sealedColumn("sandbox_books", "return_url", { gateway_id: "uuid", reference: "text" }, ({ reference }) =>
    returnUrlContext(reference),
  ),
];
