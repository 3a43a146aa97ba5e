/** The pages of mandates, the printable page, and the two actions on a mandate. They use the functions of the API. */
import type { Deps } from "../../deps.ts";
import type { Answer } from "../../http/endpoint.ts";
import type { Author } from "../../management/audit/audit.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { isUuid } from "../../lib/ids.ts";
import { Type } from "../../lib/schema.ts";
import { amendMandate } from "../../mandates/amend.ts";
import { cancelMandate } from "../../mandates/cancel.ts";
import { confirmMandate } from "../../mandates/confirm.ts";
import { ENDED_BY } from "../../mandates/mandate.ts";
import { noticesOf } from "../../mandates/notices.ts";
import { dossierAnswer } from "../../mandates/dossier/make.ts";
import { documentAnswer, mandateFilters } from "../../mandates/routes.ts";
import { AmendBody, MandateQuery } from "../../mandates/schemas.ts";
import { findMandate, listMandates, type MandateDetailRow } from "../../mandates/store.ts";
import { mandateWordsOf } from "../../payment-page/mandate-text.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { transactionFilters } from "../../reports/transactions/routes.ts";
import { listTransactions } from "../../reports/transactions/store.ts";
import { seeOther } from "../answer.ts";
import { queryWithColumns } from "../design/columns.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { faultsIn } from "../people/parts.ts";
import { refusedWords } from "../refused.ts";
import { AnyQuery, AnyIdInPath, readListPage, response } from "./listed.ts";
import { daysAsked, listQueryOf } from "./list-query.ts";
import { mandatePage, type MandateAct } from "./mandate.ts";
import { MANDATE_COLUMNS, mandatesPage, MANDATES_PATH } from "./mandates.ts";
import { viewsOf } from "./view-routes.ts";

const PAYMENTS_SHOWN = 10;
const listQuery = listQueryOf(queryWithColumns(MandateQuery.properties, MANDATE_COLUMNS));

/** Declares the pages. */
export function mandatePageRoutes(console: ConsoleRouter, deps: Deps): void {
  console.get(MANDATES_PATH, "payments.read", {
    summary: "Mandates",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = listQuery(call.query);
      const now = deps.time.now(tenant);
      const filters = { ...mandateFilters(given.asked, now), ...daysAsked(given, words, now) };
      const [page, views] = await Promise.all([
        readListPage(deps, { tenant, path: MANDATES_PATH }, given, (window) =>
          listMandates(deps.db, tenant, filters, window),
        ),
        viewsOf(deps, call, "mandates"),
      ]);
      const body = mandatesPage({ words, now, given, views, ...page });
      return call.page(words.say("mandates"), body, { headed: true });
    },
  });

  console.get(`${MANDATES_PATH}{id}/`, "payments.read", {
    summary: "A mandate",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    handle(call) {
      const { act, done } = call.query;
      const opened = ACTS.find((one) => one === act) ?? null;
      const acting =
        opened === null ? null : { act: opened, id: deps.ids.uuid(), typed: {}, problem: null, faults: {} };
      return show(deps, call, call.params.id, { acting, done: ACTS.find((one) => one === done) ?? null });
    },
  });

  console.get(`${MANDATES_PATH}{id}/document/`, "payments.read", {
    summary: "A mandate on paper",
    schema: { params: AnyIdInPath, response },
    async handle(call) {
      const mandate = await found(deps, call.person.tenant, call.params.id);
      const { tenant } = call.person;
      const shown = await mandateWordsOf(deps.db)(tenant, null, mandate);
      return documentAnswer(mandate, shown, await noticesOf(deps, tenant, mandate.id));
    },
  });

  console.get(`${MANDATES_PATH}{id}/dossier/`, "payments.read", {
    summary: "All that proves a mandate, as a PDF",
    schema: { params: AnyIdInPath, response },
    handle: (call) =>
      dossierAnswer(deps, mandateWordsOf(deps.db), {
        tenant: call.person.tenant,
        id: call.params.id,
        operationId: call.operationId,
        author: call,
      }),
  });

  actRoutes(console, deps);
}

const ACTS = ["amend", "cancel", "confirm"] as const;
const DONE = { amend: "amendDone", cancel: "endMandateDone", confirm: "confirmMandateDone" } as const;

function actRoutes(console: ConsoleRouter, deps: Deps): void {
  console.post(`${MANDATES_PATH}{id}/cancel/`, "mandates.write", {
    summary: "End a mandate",
    schema: {
      params: AnyIdInPath,
      body: Type.Object({
        id: Type.String(),
        cancelled_by: Type.Optional(Type.Enum([...ENDED_BY])),
        reason: Type.Optional(Type.String({ maxLength: 255 })),
      }),
      response,
    },
    handle(call) {
      const { cancelled_by: by = "creditor", reason = "" } = call.body;
      const why = reason.trim() === "" ? null : reason.trim();
      return act(deps, call, { act: "cancel", typed: { cancelled_by: by, reason } }, (command) =>
        cancelMandate(deps, command, { reason: why, by }),
      );
    },
  });

  console.post(`${MANDATES_PATH}{id}/confirm/`, "mandates.write", {
    summary: "Record that the debtor's bank has confirmed a mandate",
    schema: { params: AnyIdInPath, body: Type.Object({ id: Type.String() }), response },
    handle: (call) =>
      act(deps, call, { act: "confirm", typed: {} }, (command) => confirmMandate(deps, command, undefined)),
  });

  const amendment = listQueryOf(Type.Partial(AmendBody));
  console.post(`${MANDATES_PATH}{id}/amend/`, "mandates.write", {
    summary: "Amend a mandate",
    schema: {
      params: AnyIdInPath,
      body: Type.Object({
        id: Type.String(),
        iban: Type.Optional(Type.String({ maxLength: 255 })),
        holder_name: Type.Optional(Type.String({ maxLength: 1_000 })),
        reference: Type.Optional(Type.String({ maxLength: 255 })),
      }),
      response,
    },
    handle(call) {
      const { iban = "", holder_name = "", reference = "" } = call.body;
      const given = amendment({ iban, holder_name, reference });
      return act(deps, call, { act: "amend", typed: { holder_name, reference } }, async (command) => {
        if (Object.keys(given.problems).length > 0) throw new FieldErrors(given.problems);
        const { iban: account, reference: wished, holder_name: holderName } = given.asked;
        await amendMandate(deps, command, { iban: account, reference: wished, holderName });
      });
    },
  });
}

type Shower = Pick<
  ConsoleCall<{ readonly response: typeof response }>,
  "person" | "csrf" | "may" | "page" | "words"
>;

/** Runs the action and returns to the mandate, or opens the dialog again with the errors. */
async function act(
  deps: Pick<Deps, "db" | "time">,
  call: Shower & Author & Readonly<Record<"params" | "body", { readonly id: string }>>,
  given: Pick<MandateAct, "act" | "typed">,
  run: (command: Parameters<typeof cancelMandate>[1]) => Promise<void>,
): Promise<Answer> {
  const { id } = call.params;
  const { id: operationId } = call.body;
  if (!isUuid(operationId) || !isUuid(id)) throw new Refusal("not_found");
  const again = (wrong: Pick<MandateAct, "problem" | "faults">) =>
    show(deps, call, id, { acting: { ...given, ...wrong, id: operationId }, done: null });
  try {
    await run({ tenant: call.person.tenant, id, operationId, author: call });
  } catch (error) {
    if (error instanceof FieldErrors) return again({ problem: null, faults: faultsIn(call.words, error) });
    if (error instanceof Refusal && error.status !== 404 && error.status < 500)
      return again({ problem: refusedWords(call.words, error), faults: {} });
    throw error;
  }
  return seeOther(`${MANDATES_PATH}${id}/?done=${given.act}`);
}

/**
 * The mandate.
 * @throws Refusal not_found.
 */
async function found(deps: Pick<Deps, "db">, tenant: number, id: string): Promise<MandateDetailRow> {
  const mandate = isUuid(id) ? await findMandate(deps.db, tenant, id) : null;
  if (mandate === null) throw new Refusal("not_found");
  return mandate;
}

/**
 * A mandate with its collections, and the open dialog.
 * @throws Refusal not_found.
 */
async function show(
  deps: Pick<Deps, "db" | "time">,
  call: Shower,
  id: string,
  { acting, done }: { readonly acting: MandateAct | null; readonly done: MandateAct["act"] | null },
): Promise<Answer> {
  const { words } = call;
  const { tenant } = call.person;
  const mandate = await found(deps, tenant, id);
  const payments = await listTransactions(deps.db, tenant, transactionFilters({ mandate_id: id }), {
    ...NEWEST_FIRST,
    limit: PAYMENTS_SHOWN,
  });
  const body = mandatePage({
    words,
    now: deps.time.now(tenant),
    csrf: call.csrf,
    mandate,
    payments,
    mayWrite: call.may("mandates.write"),
    acting,
    done: done === null ? null : words.say(DONE[done]),
  });
  const isWrong = acting !== null && (acting.problem !== null || Object.keys(acting.faults).length > 0);
  return call.page(mandate.reference, body, { headed: true, status: isWrong ? 422 : 200 });
}
