/** Every sealed column of the database; tests/schema.test.ts compares the list with the schema. */
import type { SealedColumn } from "../db/sealed-column.ts";
import { SEALED_ANSWERS } from "../db/sealed-answers.ts";
import { SEALED_CREDENTIALS } from "../gateways/sealed.ts";
import { SEALED_SANDBOX } from "../gateways/sandbox/sealed.ts";
import { SEALED_BANK } from "../gateways/sepa-batch/sealed.ts";
import { SEALED_INTEGRATIONS } from "../integrations/sealed.ts";
import { SEALED_MANDATES } from "../mandates/sealed.ts";
import { SEALED_MESSAGES } from "../messages/recipient.ts";
import { SEALED_PEOPLE } from "../people/sealed.ts";
import { SEALED_SECRETS } from "../webhooks/profiles/sealed.ts";

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...SEALED_SECRETS,
  ...SEALED_CREDENTIALS,
  ...SEALED_SANDBOX,
  ...SEALED_MANDATES,
  ...SEALED_MESSAGES,
  ...SEALED_BANK,
  ...SEALED_INTEGRATIONS,
  ...SEALED_ANSWERS,
  ...SEALED_PEOPLE,
];
