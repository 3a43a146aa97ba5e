/** The endpoint that validates an IBAN (contract: IBAN validation). */
import { Type } from "../lib/schema.ts";
import type { Router } from "../http/endpoint.ts";
import { FieldErrors } from "../refusals.ts";
import type { BankDirectory } from "./directory.ts";
import { checkIban } from "../sepa/iban.ts";

const NullableString = Type.Union([Type.String(), Type.Null()]);

const Validated = Type.Object(
  {
    valid: Type.Boolean(),
    bank_name: Type.Optional(NullableString),
    bic: Type.Optional(NullableString),
    country: Type.Optional(Type.String({ description: "ISO 3166 code of the country of the account." })),
    sepa: Type.Optional(
      Type.Boolean({ description: "false when the country is outside SEPA; absent otherwise." }),
    ),
    error: Type.Optional(Type.String({ description: "Which check failed." })),
  },
  { $id: "IbanValidation" },
);

const Missing = Type.Object(
  { valid: Type.Literal(false), error: Type.String() },
  { $id: "IbanMissing", description: "Has no status_code, unlike other 400 answers." },
);

/** Invalid JSON is refused as at every endpoint. */
const Refused = Type.Union([Missing, Type.Unsafe({ $ref: "#/components/schemas/Error" })]);

/** Declares the endpoint on the router. */
export function ibanRoutes(router: Router, banks: BankDirectory): void {
  router.add("POST", "/api/v1/iban-validate/", {
    summary: "Validate an IBAN",
    description: "Checks the IBAN and returns its country, and its bank's name and BIC where they are known.",
    tag: "IBAN",
    access: "payments_or_session",
    limit: "iban_validate",
    crossOrigin: true,
    schema: {
      body: Type.Object({ iban: Type.String() }, { $id: "IbanValidate" }),
      response: { 200: Validated, 400: Refused },
    },
    renderError: ({ error }) =>
      error instanceof FieldErrors
        ? { status: 400, body: { valid: false, error: "IBAN is required" } }
        : null,
    handle: async ({ body }) => {
      if (body.iban.trim() === "") return { status: 400, body: { valid: false, error: "IBAN is required" } };
      return { status: 200, body: validated(banks, body.iban) };
    },
  });
}

function validated(banks: BankDirectory, text: string): object {
  const iban = checkIban(text);
  if (!iban.valid) return { valid: false, error: iban.message };
  const { bankName, bic } = banks.lookUp(iban);
  return {
    valid: true,
    bank_name: bankName,
    bic,
    country: iban.country,
    ...(iban.sepa ? {} : { sepa: false }),
  };
}
