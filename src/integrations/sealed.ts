/** The sealed columns of integrations and their postbacks. */
import { sealedColumn } from "../db/sealed-column.ts";
import { payloadContext } from "./receive.ts";
import { secretContext } from "./settings/integration.ts";
import { tokenContext } from "./settings/token.ts";

export const SEALED_INTEGRATIONS = [
  sealedColumn("integrations", "token_sealed", { id: "uuid" }, ({ id }) => tokenContext(id)),
  sealedColumn("integrations", "postback_secret", { id: "uuid" }, ({ id }) =>
    secretContext("postback_secret", id),
  ),
  sealedColumn("integrations", "read_token", { id: "uuid" }, ({ id }) => secretContext("read_token", id)),
  sealedColumn("integration_activities", "payload", { id: "uuid" }, ({ id }) => payloadContext(id)),
];
