/** Bugs that a merchant's developer or an operator meets. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const CREATE = "tests/api/create.test.ts";
const FIELDS = "tests/api/all-fields.test.ts";
const REFERENCES = "tests/references.test.ts";
const AGREEMENT = "tests/creditors/agreement.test.ts";
const CLI = "tests/cli.test.ts";
const EVENTS = "tests/events.test.ts";
const OWN_TENANT = "tests/creditors/own-tenant.test.ts";
const IMPORTS = "tests/money/imports.test.ts";
const ADDRESS = "tests/hosted-page/address.test.ts";
const AGREE = "page, record, document and file name one creditor and scheme:";

export const BY_MERCHANTS: readonly PlantedBug[] = [
  putBack(
    "page and mandate name the tenant as the creditor, the file the account's",
    [
      ["gateways/records/creditor-store.ts", "coalesce(g.settings ->> 'creditor_name', n.name)", "n.name"],
      [
        "gateways/records/creditor-store.ts",
        "coalesce(g.settings ->> 'creditor_identifier', n.creditor_identifier)",
        "n.creditor_identifier",
      ],
    ],
    [AGREEMENT, `${AGREE} a bank account, the tenant's address, CORE`],
    [AGREEMENT, `${AGREE} the sandbox, a creditor of its own, B2B`],
  ),
  putBack(
    "every mandate is a CORE one, whatever the account collects",
    [["gateways/records/creditor-store.ts", "coalesce(g.settings ->> 'scheme', 'CORE')", "'CORE'"]],
    [AGREEMENT, `${AGREE} a bank account between businesses, B2B`],
  ),
  putBack(
    "the page of a mandate between businesses promises a refund",
    [
      [
        "payment-page/render/mandate.ts",
        'creditor.scheme === "B2B" ? "businessTerms" : "mandateRefund"',
        '"mandateRefund"',
      ],
    ],
    [AGREEMENT, `${AGREE} a bank account between businesses, B2B`],
  ),
  putBack(
    "the document of a mandate between businesses promises a refund",
    [["mandates/sheet.ts", 'row.scheme === "B2B" ? "businessTerms" : "mandateRefund"', '"mandateRefund"']],
    [AGREEMENT, `${AGREE} a bank account between businesses, B2B`],
  ),
  putBack(
    "a form that shows another creditor than the account's is signed",
    [
      [
        "sessions/attempt-store.ts",
        "and (v.creditorShown is null or ${CREDITOR} = v.creditorShown)",
        "and (v.creditorShown is null or true)",
      ],
      [
        "payment-page/mandate-text.ts",
        '${last ?? "first"}:${canonicalJson({ ...creditor })}',
        '${last ?? "first"}:${canonicalJson({}) + typeof creditor}',
      ],
    ],
    [AGREEMENT, "a form that shows a creditor who has changed since signs nothing"],
  ),
  putBack(
    "payments by bank file are completed before the bank has them",
    [
      [
        "gateways/records/gateway-record.ts",
        '? "settlement" : "acceptance"',
        '? "acceptance" : "acceptance"',
      ],
    ],
    [
      "src/gateways/records/gateway-record.test.ts",
      "the completed event defaults to settlement where real debits can fail",
    ],
  ),
  putBack(
    "no event says whether the payment has settled",
    [
      ["webhooks/events.ts", "transaction_status: payment.transactionStatus,", ""],
      ["webhooks/events.ts", "order_status: payment.orderStatus,", ""],
    ],
    [
      EVENTS,
      "a completed event at acceptance says whether the payment has settled: pending (DE08370400440532013003)",
    ],
  ),
  putBack(
    "a profile that does not subscribe to returns is created without a warning",
    [["webhooks/profiles/profile.ts", "    warnings: warningsOf(events),\n", ""]],
    [EVENTS, "a profile that does not subscribe to returns and chargebacks has a warning in each response"],
  ),
  putBack(
    "a session does not show what its bank has returned",
    [["sessions/retrieve.ts", "    ...(await paymentDisplay(deps, tenant, row)),\n", ""]],
    ["tests/money/gateway-news.test.ts", "retrieve shows a returned payment as declined"],
    ["tests/money/gateway-news.test.ts", "retrieve shows a returned payment as charged_back"],
  ),
  putBack(
    "a customer's second click gets a session that it cannot find",
    [
      [
        "sessions/create.ts",
        "if (active === null) return refusal;",
        "if (active?.id !== null) return refusal;",
      ],
    ],
    [CREATE, "409 names the lead's active session to its own tenant"],
  ),
  putBack(
    "the page asks for no address and spends an attempt on an account whose bank wants one",
    [
      [
        "payment-page/render/form.ts",
        "return asksAddress && checked.valid && needsAddress(checked.country);",
        "return asksAddress && checked.valid && !needsAddress(checked.country) && false;",
      ],
    ],
    [ADDRESS, "the page asks for the address of an account in GB"],
    [ADDRESS, "the page asks for the address of an account in CH"],
  ),
  putBack(
    "a refusal has a text only",
    [["http/errors.ts", "      code: refusal.kind,\n", ""]],
    ["tests/api/pay.test.ts", "the refusals of create, pay, verify and cancel have a code each"],
    ["src/http/errors.test.ts", "an error that only the operator can explain names the request"],
  ),
  putBack(
    "a failure of the service does not name its request",
    [
      [
        "http/errors.ts",
        "return { ...answer, body: { ...(answer.body as object), request_id: requestId } };",
        "return answer;",
      ],
    ],
    ["src/http/errors.test.ts", "an error that only the operator can explain names the request"],
  ),
  putBack(
    "a processor's own words for statuses cannot be mapped",
    [
      [
        "files/cells.ts",
        "return mapped?.[1] ?? words.get(plain) ?? null;",
        "return words.get(plain) ?? (mapped && null) ?? null;",
      ],
    ],
    [IMPORTS, "a processor's own words for statuses and types are mapped"],
  ),
  putBack(
    "chargebacks without a known transaction cannot be listed",
    [["payments/chargebacks/routes.ts", "query.linked ?? null", "null"]],
    [IMPORTS, "chargebacks without a known transaction have a list of their own"],
  ),
  putBack(
    "a chargeback is matched to a payment in another currency",
    [
      [
        "payments/imports/chargebacks.ts",
        "if (currency !== original.currency) {",
        "if (currency === null) {",
      ],
    ],
    [IMPORTS, "a chargeback in another currency than the payment's is refused"],
  ),
  putBack(
    "a filter with a misspelt name lists everything",
    [
      [
        "http/server.ts",
        "queryCheck(query, { closed: isClosed(endpoint) })",
        "queryCheck(query, { closed: isClosed(endpoint) && false })",
      ],
    ],
    ["tests/api/edge.test.ts", "every list refuses an unknown parameter and names the known ones"],
    ["tests/api/reconciliation/parameters.test.ts", "an unknown parameter is 400 on its name"],
  ),
  putBack(
    "a tenant's key cannot read its tenant",
    [["tenants/routes.ts", "  ownTenantRoutes(router, deps);\n", ""]],
    [OWN_TENANT, "a key shows its own tenant as the operator sees it"],
    [OWN_TENANT, "a key changes its own tenant"],
  ),
  putBack(
    "a valid tenant's key at the operator's endpoints is reported as invalid",
    [
      [
        "http/access.ts",
        'caller?.kind === "key" && request.access === "operator"',
        'caller?.kind === "session" && request.access === "operator"',
      ],
    ],
    [OWN_TENANT, "the operator's endpoints answer a tenant's valid key with 403"],
  ),
  putBack(
    "rules beyond a schema are checked only if the schema finds no error",
    [
      [
        "http/hooks.ts",
        'wrong?.fields["non_field_errors"] !== undefined) return wrong;',
        "wrong !== null) return wrong;",
      ],
    ],
    [FIELDS, "payment-sessions/ with {} names lead, gateway_id, amount, currency, billing_type"],
    [FIELDS, "management/webhook-profiles/ with"],
  ),
  putBack(
    "the word IBAN before an IBAN counts as a part of it",
    [["sepa/iban.ts", '.replace(LABEL, "")', ""]],
    ["src/sepa/iban.test.ts", "the word IBAN before an IBAN"],
  ),
  putBack(
    "an unassigned or reserved bank code counts as a bank",
    [["banks/import.ts", "repairNames(entries).filter(isBank)", "repairNames(entries)"]],
    ["src/banks/import.test.ts", "bank codes that Belgium lists as free or reserved are not imported"],
  ),
  putBack(
    "a run of bank codes ends one too early",
    [["banks/packed.ts", "Number(last) - Number(first) + 1", "Number(last) - Number(first)"]],
    ["src/banks/packed.test.ts", "banks are unpacked as they were packed"],
  ),
  putBack(
    "a wrong signature exits with 0",
    [["commands/offline.ts", "if (!right) throw new ProblemFound(words);", "void right;"]],
    [CLI, "webhooks verify exits with 1 when the signature is wrong"],
  ),
  putBack(
    "the books check creates a missing database",
    [
      [
        "commands/database.ts",
        "return external || hasEmbedded(dataDir);",
        'return external || dataDir !== "" || hasEmbedded(dataDir);',
      ],
    ],
    [CLI, "books check without a database reports this and creates none"],
  ),
  putBack(
    "a used port is reported with a stack trace",
    [["commands/offline.ts", 'error.code === "EADDRINUSE"', 'error.code === "EADDRINUSE?"']],
    [CLI, "webhooks listen on a used port reports this in one line"],
  ),
  putBack(
    "--help fails",
    [
      ["cli.ts", "(asked ? console.log : console.error)(help());", "console.error(help());"],
      ["cli.ts", "return asked ? 0 : 2;", "return asked ? 2 : 2;"],
    ],
    [CLI, "--help lists the commands on standard output and exits with 0"],
  ),
  putBack(
    "a collection by command that writes nothing does not say why",
    [["gateways/sepa-batch/commands.ts", 'why === null ? "" : ` (${why})`', 'why === null ? "" : ""']],
    [
      "tests/sepa/runs.test.ts",
      "sepa collect gives the reason when it writes nothing: no banking day, or nothing due",
    ],
  ),
  putBack(
    "a used order number is an internal error at create",
    [
      [
        "sessions/create.ts",
        'await withFreshReference(["orders_one_per_number"],',
        "await withFreshReference([],",
      ],
    ],
    [REFERENCES, "create draws another order number if the first is used in its tenant"],
  ),
  putBack(
    "a used merchant transaction id is an internal error at pay",
    [["sessions/pay.ts", '    "transactions_one_per_merchant_transaction_id",\n', ""]],
    [REFERENCES, "pay draws another merchant transaction id or mandate reference if the first is used"],
  ),
  putBack(
    "a used merchant transaction id is an internal error at a refund",
    [
      [
        "payments/refunds/refund.ts",
        'withFreshReference(["transactions_one_per_merchant_transaction_id"],',
        "withFreshReference([],",
      ],
    ],
    [REFERENCES, "a refund draws another merchant transaction id if the first is used"],
  ),
  putBack(
    "a used merchant transaction id is an internal error at a collection by hand",
    [
      [
        "subscriptions/manage.ts",
        'withFreshReference(["transactions_one_per_merchant_transaction_id"],',
        "withFreshReference([],",
      ],
    ],
    [REFERENCES, "a collection by hand draws another merchant transaction id if the first is used"],
  ),
];
