/** The sealed columns of webhook profiles. */
import { sealedColumn } from "../../db/sealed-column.ts";
import { signingSecretContext } from "./profile.ts";

export const SEALED_SECRETS = ["signing_secret", "previous_signing_secret"].map((column) =>
  sealedColumn("webhook_profiles", column, { id: "uuid" }, ({ id }) => signingSecretContext(id)),
);
