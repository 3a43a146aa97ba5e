/** `management/sepa-statements/`: the statements that were read, and the gaps between them. */
import { Type } from "../../../../lib/schema.ts";
import type { SepaStatementRow } from "../../../../db/rows.ts";
import type { Deps } from "../../../../deps.ts";
import { tenantOf, type Router } from "../../../../http/endpoint.ts";
import { nullable } from "../../../../http/fields.ts";
import { Day, NullableText, Time, Uuid } from "../../../../http/response-fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../../../../http/paging.ts";
import { MANAGEMENT } from "../../../../management/resource-routes.ts";
import { listStatements } from "./store.ts";

const STATEMENTS = `${MANAGEMENT}sepa-statements/`;

const BankStatement = Type.Object(
  {
    id: Uuid,
    gateway_id: Uuid,
    file_id: Uuid,
    iban: Type.String({ description: "The creditor's account." }),
    ends_on: Day,
    sequence: nullable(Type.Integer({ description: "ElctrncSeqNb, else LglSeqNb." })),
    statement_id: NullableText,
    opening_balance: NullableText,
    closing_balance: NullableText,
    gap: nullable(
      Type.String({ description: "The gap before it; null where it follows the previous statement." }),
    ),
    created_at: Time,
  },
  { $id: "BankStatement" },
);

export const StatementQuery = Type.Object({
  ...PAGE_QUERY,
  gap: Type.Optional(
    Type.Boolean({ description: "true: only statements after a gap; false: only the others." }),
  ),
  gateway_id: Type.Optional(Uuid),
});

/** Declares the list on the router. */
export function statementRoutes(router: Router, deps: Deps): void {
  router.add("GET", STATEMENTS, {
    summary: "List the bank's statements and the gaps between them, newest first",
    description:
      "camt.053 only. A gap closes when the missing statement is read. Pages of one statement and repeated statements are not gaps.",
    tag: "SEPA files",
    access: "read",
    schema: {
      query: StatementQuery,
      response: { 200: pageSchema(BankStatement) },
    },
    async handle(call) {
      const tenant = tenantOf(call);
      const { gap = null, gateway_id: gatewayId = null } = call.query;
      const page = await pageOf(
        deps,
        { tenant, path: STATEMENTS, query: call.query },
        (window) => listStatements(deps.db, tenant, { gap, gatewayId }, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(shown) } };
    },
  });
}

function shown(row: SepaStatementRow): object {
  const { id, gateway_id, file_id, iban, ends_on, sequence, statement_id, opening, closing, gap } = row;
  return {
    id,
    gateway_id,
    file_id,
    iban,
    ends_on,
    sequence: sequence === null ? null : Number(sequence),
    statement_id,
    opening_balance: opening,
    closing_balance: closing,
    gap,
    created_at: row.created_at.toISOString(),
  };
}
