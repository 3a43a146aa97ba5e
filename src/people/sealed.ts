/** The sealed columns of people: secrets of authenticator apps, and of identity providers. */
import { sealedColumn } from "../db/sealed-column.ts";
import { clientSecretContext } from "./oidc.ts";
import { totpContext } from "./prove.ts";

export const SEALED_PEOPLE = [
  sealedColumn("people", "totp_secret", { id: "uuid" }, ({ id }) => totpContext(id)),
  sealedColumn("oidc_providers", "client_secret", { id: "uuid" }, ({ id }) => clientSecretContext(id)),
];
