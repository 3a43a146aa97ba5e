/** The sealed column of gateway records. */
import { sealedColumn } from "../db/sealed-column.ts";
import { credentialsContext } from "./calling.ts";

export const SEALED_CREDENTIALS = [
  sealedColumn("gateways", "credentials", { id: "uuid" }, ({ id }) => credentialsContext(id)),
];
