/** `management/mandates/`: lists mandates, reads one with its evidence, ends it, amends it. */
import { daysOf } from "../db/days.ts";
import { Type } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Answer, type Call, type EndpointSchema, type Router } from "../http/endpoint.ts";
import { pageOf, pageSchema } from "../http/paging.ts";
import { timesAsText } from "../http/times-as-text.ts";
import { isUuid } from "../lib/ids.ts";
import { IdInPath, MANAGEMENT } from "../management/resource-routes.ts";
import { Refusal } from "../refusals.ts";
import { leadKey } from "../sessions/leads.ts";
import { amendMandate } from "./amend.ts";
import { confirmMandate } from "./confirm.ts";
import { cancelMandate } from "./cancel.ts";
import type { MandateCommand } from "./command.ts";
import { DOCUMENT_POLICY, mandateDocument } from "./document.ts";
import { dossierAnswer } from "./dossier/make.ts";
import { mandateFileRoutes } from "./files/routes.ts";
import { referenceKey } from "../sepa/mandate-reference.ts";
import { detailed, listedMandate } from "./mandate.ts";
import {
  AmendBody,
  CancelBody,
  MandateConfirmBody,
  DocumentQuery,
  Mandate,
  MandateDetail,
  MandateQuery,
  PresentationBody,
} from "./schemas.ts";
import { unblockMandateAccount } from "./unblock.ts";
import { keepPresentation } from "./presentation.ts";
import { noticesOf, type ShownNotice } from "./notices.ts";
import { mandateSheet, type WordsOf } from "./sheet.ts";
import { findMandate, listMandates, type MandateDetailRow, type MandateFilters } from "./store.ts";

const PATH = `${MANAGEMENT}mandates/`;
const tag = "Mandates";

/**
 * Declares the endpoints on the router.
 * @param wordsOf the texts of a mandate, from the payment page.
 */
export function mandateRoutes(router: Router, deps: Deps, wordsOf: WordsOf): void {
  mandateFileRoutes(router, deps);
  readRoutes(router, deps);
  documentRoute(router, deps, wordsOf);
  dossierRoute(router, deps, wordsOf);
  changeRoutes(router, deps);
  unblockRoute(router, deps);
  presentationRoute(router, deps);
}

function readRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List mandates, newest first",
    tag,
    access: "read",
    schema: { query: MandateQuery, response: { 200: pageSchema(Mandate) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const filters = mandateFilters(call.query, deps.time.now(tenant));
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listMandates(deps.db, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(listedMandate) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read a mandate with its evidence and amendments",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: MandateDetail } },
    handle: (call) => answer(deps, tenantOf(call), call.params.id),
  });
}

function documentRoute(router: Router, deps: Deps, wordsOf: WordsOf): void {
  router.add("GET", `${PATH}{id}/document/`, {
    summary: "Print a mandate on one page",
    description:
      "With the text in the language of the signature and the evidence of the signature; the account is masked.",
    tag,
    access: "read",
    html: true,
    answerHeaders: ["Content-Disposition"],
    schema: { params: IdInPath, query: DocumentQuery, response: { 200: Type.String() } },
    async handle(call) {
      const tenant = tenantOf(call);
      const row = await found(deps, tenant, call.params.id);
      const shown = await wordsOf(tenant, call.query.language ?? null, row);
      return documentAnswer(row, shown, await noticesOf(deps, tenant, row.id));
    },
  });
}

function dossierRoute(router: Router, deps: Deps, wordsOf: WordsOf): void {
  router.add("GET", `${PATH}{id}/dossier/`, {
    summary: "Download the dossier of a mandate",
    description:
      "PDF/A with everything that proves the mandate: its text as it was accepted, the acceptance, notices, debits, returns, refunds and amendments, each entry chained to the one before it, the file sealed. `mandates verify` checks it. The audit log records who made it.",
    tag,
    access: "read",
    answerHeaders: ["Content-Disposition"],
    schema: { params: IdInPath, response: { 200: Type.String() } },
    otherFormats: { "application/pdf": "PDF/A-3b with dossier.json attached." },
    handle: (call) => dossierAnswer(deps, wordsOf, commandOf(call, call.params.id)),
  });
}

/**
 * The printable page.
 * @param notices included for the merchant and those who examine it.
 */
export function documentAnswer(
  row: MandateDetailRow,
  shown: Awaited<ReturnType<WordsOf>>,
  notices: readonly ShownNotice[] = [],
): Answer {
  const name = row.reference.replace(/[^A-Za-z0-9-]/g, "_");
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-disposition": `inline; filename="mandate_${name}.html"`,
      "content-security-policy": DOCUMENT_POLICY,
    },
    body: mandateDocument(mandateSheet(row, shown, notices)).text,
  };
}

function changeRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${PATH}{id}/cancel/`, {
    summary: "Cancel a mandate",
    description:
      "No more collections use it, and its subscriptions are cancelled. An ended mandate stays unchanged. 409 while a payment with it is in progress.",
    tag,
    access: "billing",
    schema: { params: IdInPath, body: CancelBody, response: { 200: MandateDetail } },
    async handle(call) {
      const command = commandOf(call, call.params.id);
      const { reason = null, cancelled_by: by = "creditor" } = call.body;
      await cancelMandate(deps, command, { reason, by });
      return answer(deps, command.tenant, command.id);
    },
  });

  router.add("POST", `${PATH}{id}/confirm/`, {
    summary: "Record that the debtor's bank has confirmed a B2B mandate",
    description:
      "With `b2b_confirmed_days` of the gateway, debits of the mandate wait for it. An amendment of the account takes it back.",
    tag,
    access: "billing",
    schema: { params: IdInPath, body: MandateConfirmBody, response: { 200: MandateDetail } },
    async handle(call) {
      const command = commandOf(call, call.params.id);
      await confirmMandate(deps, command, call.body.confirmed_on);
      return answer(deps, command.tenant, command.id);
    },
  });

  router.add("POST", `${PATH}{id}/amend/`, {
    summary: "Amend a mandate",
    description:
      "Changes the debtor's account or name, the reference, or the creditor. The previous values are kept as amendments and reported to the bank with the next collection. 409 if the reference is or was in use, or if the mandate is not active.",
    tag,
    access: "billing",
    schema: { params: IdInPath, body: AmendBody, response: { 200: MandateDetail } },
    async handle(call) {
      const command = commandOf(call, call.params.id);
      const { iban, reference, holder_name, creditor_name, creditor_identifier } = call.body;
      await amendMandate(deps, command, {
        iban,
        reference,
        holderName: holder_name,
        creditorName: creditor_name,
        creditorIdentifier: creditor_identifier,
      });
      return answer(deps, command.tenant, command.id);
    },
  });
}

function presentationRoute(router: Router, deps: Deps): void {
  router.add("POST", `${PATH}{id}/wallet-presentation/`, {
    summary: "Keep a signed presentation from the debtor's wallet",
    description:
      "One for each mandate: it is part of the dossier and its chain from then on. The service does not verify it. The same one again changes nothing; 409 for another.",
    tag,
    access: "billing",
    schema: { params: IdInPath, body: PresentationBody, response: { 200: MandateDetail } },
    async handle(call) {
      const command = commandOf(call, call.params.id);
      await keepPresentation(deps, command, call.body);
      return answer(deps, command.tenant, command.id);
    },
  });
}

function unblockRoute(router: Router, deps: Deps): void {
  router.add("POST", `${PATH}{id}/unblock-account/`, {
    summary: "Lift the block of a mandate's account",
    description:
      "Payments are taken from the account again. Mandates that have ended stay so: a payment brings a new one.",
    tag,
    access: "billing",
    schema: { params: IdInPath, response: { 200: MandateDetail } },
    async handle(call) {
      const command = commandOf(call, call.params.id);
      await unblockMandateAccount(deps, command);
      return answer(deps, command.tenant, command.id);
    },
  });
}

function commandOf(call: Call<EndpointSchema>, id: string): MandateCommand {
  if (!isUuid(id)) throw new Refusal("not_found");
  return { tenant: tenantOf(call), id, operationId: call.operationId, author: call };
}

async function answer(deps: Pick<Deps, "db" | "keys">, tenant: number, id: string): Promise<Answer> {
  const row = await found(deps, tenant, id);
  const notices = await noticesOf(deps, tenant, row.id);
  return { status: 200, body: { ...detailed(row), notices: notices.map(timesAsText) } };
}

/**
 * Finds a mandate.
 * @throws Refusal not_found.
 */
async function found(deps: Pick<Deps, "db">, tenant: number, id: string): Promise<MandateDetailRow> {
  const row = isUuid(id) ? await findMandate(deps.db, tenant, id) : null;
  if (row === null) throw new Refusal("not_found");
  return row;
}

/** The filters of a query, whose days are inclusive. */
export function mandateFilters(
  {
    status,
    scheme,
    lapsing,
    account_blocked: isBlocked,
    reference,
    email,
    lead_id,
    from,
    to,
  }: Omit<MandateQuery, "page_size" | "cursor">,
  now: Date,
): MandateFilters {
  return {
    status: status ?? null,
    scheme: scheme ?? null,
    lapsing: lapsing ?? null,
    isBlocked: isBlocked ?? null,
    now,
    referenceKey: reference === undefined ? null : referenceKey(reference),
    emailKey: email === undefined ? null : leadKey(email),
    leadId: lead_id ?? null,
    ...daysOf(from, to),
  };
}
