/** The pages of the merchant's own bank account. They use the functions of the API. */
import type { Deps } from "../../deps.ts";
import type { Answer } from "../../http/endpoint.ts";
import { accountsOf } from "../../gateways/sepa-batch/accounts.ts";
import { approveFile } from "../../gateways/sepa-batch/approve/approve.ts";
import {
  confirmFile,
  requireFile,
  markFileSent,
  withdrawFile,
  type FileCommand,
} from "../../gateways/sepa-batch/file-commands.ts";
import { FileQuery } from "../../gateways/sepa-batch/file-schemas.ts";
import { findAccounts, findFileScope, listFiles } from "../../gateways/sepa-batch/files-store.ts";
import { listReportLines, listInstructions } from "../../gateways/sepa-batch/incoming/lines-store.ts";
import { StatementQuery } from "../../gateways/sepa-batch/incoming/statements/routes.ts";
import { listStatements } from "../../gateways/sepa-batch/incoming/statements/store.ts";
import { contentAnswer, fileFilters } from "../../gateways/sepa-batch/routes.ts";
import { historyOf } from "../../gateways/sepa-batch/transports/ebics/orders-store.ts";
import { resume } from "../../gateways/sepa-batch/transports/ebics/users.ts";
import { listUsers } from "../../gateways/sepa-batch/transports/ebics/users-store.ts";
import { resolveUnmatched } from "../../gateways/sepa-batch/unmatched/resolve.ts";
import { requireUnmatched } from "../../gateways/sepa-batch/unmatched/routes.ts";
import {
  unmatchedNames,
  readResolution,
  UnmatchedQuery,
} from "../../gateways/sepa-batch/unmatched/schemas.ts";
import { listUnmatched } from "../../gateways/sepa-batch/unmatched/store.ts";
import { suggest } from "../../gateways/sepa-batch/unmatched/suggest.ts";
import { listSetAside } from "../../payments/news/set-aside-store.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { isUuid } from "../../lib/ids.ts";
import { parseAmount } from "../../lib/money.ts";
import { Type } from "../../lib/schema.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { seeOther } from "../answer.ts";
import { queryWithColumns } from "../design/columns.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { faultsIn } from "../people/parts.ts";
import { refusedWords } from "../refused.ts";
import {
  BANK_PATH,
  ENTRY_COLUMNS,
  FILE_COLUMNS,
  FILES_PATH,
  filesPage,
  STATEMENT_COLUMNS,
  statementsPage,
  STATEMENTS_PATH,
  unmatchedPage,
  UNMATCHED_PATH,
} from "./bank.ts";
import { bankEntryPage, type TypedDecision } from "./bank-entry.ts";
import { BANK_USERS_PATH } from "./bank-troubles.ts";
import { actionOf, bankFilePage, FILE_ACTS, type FileAct, type OpenAct } from "./bank-file.ts";
import { AnyQuery, AnyIdInPath, readListPage, response } from "./listed.ts";
import { listQueryOf } from "./list-query.ts";
import { listGateways } from "./store.ts";
import { viewsOf } from "./view-routes.ts";

const ENTRIES_SHOWN = 100;
const SET_ASIDE_SHOWN = 100;

type Shower = Pick<
  ConsoleCall<{ readonly response: typeof response }>,
  "person" | "csrf" | "may" | "page" | "words"
>;

/** Declares the pages. */
export function bankPageRoutes(console: ConsoleRouter, deps: Deps): void {
  listRoutes(console, deps);
  fileRoutes(console, deps);
  entryRoutes(console, deps);
}

function listRoutes(console: ConsoleRouter, deps: Deps): void {
  const fileQuery = listQueryOf(queryWithColumns(FileQuery.properties, FILE_COLUMNS));
  console.get(BANK_PATH, "bank.read", {
    summary: "The bank's files, and when the next ones are written",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = fileQuery(call.query);
      const now = deps.time.now(tenant);
      const [page, gateways, accounts, stopped, setAside, views] = await Promise.all([
        readListPage(deps, { tenant, path: BANK_PATH }, given, (window) =>
          listFiles(deps.db, tenant, fileFilters(given.asked, now), window),
        ),
        listGateways(deps.db, tenant),
        accountsOf(deps, tenant),
        listUsers(deps.db, tenant, "stopped"),
        listSetAside(deps.db, tenant, SET_ASIDE_SHOWN),
        viewsOf(deps, call, "bank_files"),
      ]);
      const troubles = { csrf: call.csrf, stopped, setAside, mayResume: call.may("bank.send") };
      const body = filesPage({ words, now, given, gateways, accounts, troubles, views, ...page });
      return call.page(words.say("bank"), body, { headed: true });
    },
  });

  console.post(`${BANK_USERS_PATH}{id}/resume/`, "bank.send", {
    summary: "Go on after the bank has refused the EBICS user or a file",
    schema: { params: AnyIdInPath, response },
    async handle(call) {
      const { id } = call.params;
      const [account] = isUuid(id) ? await findAccounts(deps.db, call.person.tenant, id) : [];
      if (account === undefined) throw new Refusal("not_found");
      await resume(deps, { account, operationId: call.operationId, author: call });
      return seeOther(BANK_PATH);
    },
  });

  const statementQuery = listQueryOf(queryWithColumns(StatementQuery.properties, STATEMENT_COLUMNS));
  console.get(STATEMENTS_PATH, "bank.read", {
    summary: "The bank's statements, and the gaps between them",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = statementQuery(call.query);
      const { gap = null, gateway_id: gatewayId = null } = given.asked;
      const [page, gateways, views] = await Promise.all([
        readListPage(deps, { tenant, path: STATEMENTS_PATH }, given, (window) =>
          listStatements(deps.db, tenant, { gap, gatewayId }, window),
        ),
        listGateways(deps.db, tenant),
        viewsOf(deps, call, "bank_statements"),
      ]);
      const body = statementsPage({ words, now: deps.time.now(tenant), given, gateways, views, ...page });
      return call.page(words.say("statements"), body, { headed: true });
    },
  });

  const unmatchedQuery = listQueryOf(queryWithColumns(UnmatchedQuery.properties, ENTRY_COLUMNS));
  console.get(UNMATCHED_PATH, "bank.read", {
    summary: "Entries of bank files that belong to no payment",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = unmatchedQuery(call.query);
      const [page, views] = await Promise.all([
        readListPage(deps, { tenant, path: UNMATCHED_PATH }, given, (window) =>
          listUnmatched(deps.db, tenant, given.asked.status ?? null, window),
        ),
        viewsOf(deps, call, "bank_entries"),
      ]);
      const body = unmatchedPage({ words, now: deps.time.now(tenant), given, views, ...page });
      return call.page(words.say("unmatchedEntries"), body, { headed: true });
    },
  });
}

const DO: Readonly<
  Record<
    FileAct,
    (
      deps: Pick<Deps, "clock" | "db" | "log" | "time">,
      command: FileCommand,
      attempts: number,
    ) => Promise<unknown>
  >
> = {
  approve: approveFile,
  sent: markFileSent,
  withdraw: withdrawFile,
  arrived: (deps, command, attempts) => confirmFile(deps, command, { arrived: true, attempts }),
  lost: (deps, command, attempts) => confirmFile(deps, command, { arrived: false, attempts }),
};

function fileRoutes(console: ConsoleRouter, deps: Deps): void {
  console.get(`${FILES_PATH}{id}/`, "bank.read", {
    summary: "A bank file",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    handle(call) {
      const { act, done, after = "0", attempts = null } = call.query;
      const opened = FILE_ACTS.find((one) => one === act) ?? null;
      return showFile(deps, call, call.params.id, {
        after: /^\d{1,9}$/.test(after) ? Number(after) : 0,
        acting: opened === null ? null : { act: opened, id: deps.ids.uuid(), attempts, problem: null },
        done: FILE_ACTS.find((one) => one === done) ?? null,
      });
    },
  });

  console.post(`${FILES_PATH}{id}/content/`, "bank.send", {
    summary: "Download a bank file",
    schema: { params: AnyIdInPath, body: Type.Object({}), response },
    handle: (call) =>
      contentAnswer(deps, {
        tenant: call.person.tenant,
        id: call.params.id,
        operationId: call.operationId,
        author: call,
      }),
  });

  for (const act of FILE_ACTS) {
    console.post(`${FILES_PATH}{id}/${act}/`, actionOf(act), {
      summary: `Say of a bank file: ${act}`,
      schema: {
        params: AnyIdInPath,
        body: Type.Object({ id: Type.String(), attempts: Type.Optional(Type.String()) }),
        response,
      },
      async handle(call) {
        const { id } = call.params;
        const { id: operationId, attempts } = call.body;
        if (!isUuid(operationId)) throw new Refusal("not_found");
        try {
          const command = { tenant: call.person.tenant, id, operationId, author: call };
          await DO[act](deps, command, Number(attempts));
        } catch (error) {
          if (!(error instanceof Refusal) || error.status === 404 || error.status >= 500) throw error;
          const problem = refusedWords(call.words, error);
          const acting = { act, id: operationId, attempts: null, problem };
          return showFile(deps, call, id, { after: 0, acting, done: null });
        }
        return seeOther(`${FILES_PATH}${id}/?done=${act}`);
      },
    });
  }
}

/**
 * A file with its entries, and the open dialog.
 * @throws Refusal not_found.
 */
async function showFile(
  deps: Pick<Deps, "db" | "time">,
  call: Shower,
  id: string,
  {
    after,
    acting,
    done,
  }: {
    readonly after: number;
    readonly acting: OpenAct | null;
    readonly done: FileAct | null;
  },
): Promise<Answer> {
  const { words } = call;
  const { tenant } = call.person;
  const file = await requireFile(deps, { tenant, id });
  const list = file.direction === "out" ? listInstructions : listReportLines;
  const [entries, history, gateways] = await Promise.all([
    list(deps.db, tenant, file.id, { after, limit: ENTRIES_SHOWN, result: null }),
    historyOf(deps.db, tenant, file.id),
    listGateways(deps.db, tenant),
  ]);
  const body = bankFilePage({
    words,
    now: deps.time.now(tenant),
    csrf: call.csrf,
    file,
    gateway: gateways.find((one) => one.id === file.gateway_id)?.name ?? null,
    entries,
    history,
    next: entries.length === ENTRIES_SHOWN ? (entries.at(-1)?.number ?? null) : null,
    may: call.may,
    acting,
    done: done === null ? null : words.say(`done_${done}`),
  });
  const isWrong = acting !== null && acting.problem !== null;
  return call.page(file.name, body, { headed: true, status: isWrong ? 409 : 200 });
}

function entryRoutes(console: ConsoleRouter, deps: Deps): void {
  console.get(`${UNMATCHED_PATH}{id}/`, "bank.read", {
    summary: "An entry that belongs to no payment",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    handle: (call) =>
      showEntry(deps, call, call.params.id, { problem: null, done: call.query["done"] === "resolve" }),
  });

  console.post(`${UNMATCHED_PATH}{id}/resolve/`, "bank.send", {
    summary: "Decide about an entry",
    schema: {
      params: AnyIdInPath,
      body: Type.Object({
        id: Type.String(),
        action: Type.Optional(Type.Enum(["apply", "settle", "part", "reject", "reinstate", "dismiss"])),
        transaction_id: Type.Optional(Type.String({ maxLength: 255 })),
        transaction_ids: Type.Optional(Type.String({ maxLength: 50_000 })),
        block_id: Type.Optional(Type.String({ maxLength: 255 })),
        file_id: Type.Optional(Type.String({ maxLength: 255 })),
        bank_fee: Type.Optional(Type.String({ maxLength: 255 })),
        accept_amount: Type.Optional(Type.Literal("yes")),
        note: Type.Optional(Type.String({ maxLength: 500 })),
      }),
      response,
    },
    async handle(call) {
      const { id } = call.params;
      const { id: operationId, action = "apply", transaction_id: payment = "", note = "" } = call.body;
      const { transaction_ids: typed = "", block_id = "", file_id = "", bank_fee = "" } = call.body;
      const isOfSeveral = action === "settle" || action === "part";
      const named =
        action === "reject" || isOfSeveral ? typed.split(/[\s,;]+/).filter((one) => one !== "") : [];
      if (!isUuid(operationId) || !isUuid(id)) throw new Refusal("not_found");
      const again = (problem: string) =>
        showEntry(deps, call, id, { problem, typed: call.body, done: false });
      try {
        const isAboutOne = action === "apply" || action === "reinstate";
        // An empty field means all of them; separators alone are a mistake.
        const isSlip = named.length === 0 && typed.trim() !== "";
        const isWrong = isAboutOne ? !isUuid(payment.trim()) : isSlip || !named.every(isUuid);
        if (isWrong) return await again(call.words.say("paymentIdHint"));
        const sum = [named.length > 0, block_id.trim() !== "", file_id !== ""].filter(Boolean).length;
        if (isOfSeveral && (sum !== 1 || (file_id !== "" && !isUuid(file_id))))
          return await again(call.words.say("severalWhat"));
        const fee = isOfSeveral ? bank_fee.trim().replace(",", ".") : "";
        if (fee !== "" && parseAmount(fee) === null)
          return await again(`${call.words.say("bankFee")}: ${call.words.say("amountWrong")}`);
        await resolveUnmatched(deps, {
          tenant: call.person.tenant,
          id,
          operationId,
          author: call,
          ...readResolution({
            action,
            ...(isAboutOne ? { transaction_id: payment.trim() } : {}),
            ...(named.length > 0 ? { transaction_ids: named } : {}),
            ...(isOfSeveral && block_id.trim() !== "" ? { block_id: block_id.trim() } : {}),
            ...(isOfSeveral && file_id !== "" ? { file_id } : {}),
            ...(fee === "" ? {} : { bank_fee: fee }),
            accept_amount: call.body.accept_amount === "yes",
            note: note.trim() === "" ? null : note.trim(),
          }),
        });
      } catch (error) {
        if (error instanceof FieldErrors) return again(Object.values(faultsIn(call.words, error)).join(" "));
        if (error instanceof Refusal && error.status !== 404 && error.status < 500)
          return again(refusedWords(call.words, error));
        throw error;
      }
      return seeOther(`${UNMATCHED_PATH}${id}/?done=resolve`);
    },
  });
}

/**
 * An entry with suggestions.
 * @throws Refusal not_found.
 */
async function showEntry(
  deps: Pick<Deps, "db" | "ids">,
  call: Shower,
  id: string,
  {
    problem,
    typed = {},
    done,
  }: { readonly problem: string | null; readonly typed?: TypedDecision; readonly done: boolean },
): Promise<Answer> {
  const { words } = call;
  const { tenant } = call.person;
  const entry = await requireUnmatched(deps, tenant, id);
  const body = bankEntryPage({
    words,
    csrf: call.csrf,
    entry,
    names: unmatchedNames(entry),
    suggestions: await suggest(deps.db, tenant, entry),
    mayResolve: call.may("bank.send"),
    decisionId: deps.ids.uuid(),
    typed,
    files: await sentFiles(deps, tenant, entry.gateway_id),
    problem,
    done: done ? words.say("entryDone") : null,
  });
  return call.page(words.say("unmatchedEntries"), body, {
    headed: true,
    status: problem === null ? 200 : 422,
  });
}

const FILES_OFFERED = 30;

/** The files sent from the entry's account, newest first. */
async function sentFiles({ db }: Pick<Deps, "db">, tenant: number, gatewayId: string) {
  const { gatewayIds } = await findFileScope(db, tenant, gatewayId);
  const anyOf = { held: null, notTaken: null, unansweredSince: null, gatewayId: null };
  const sent = { ...anyOf, direction: "out", status: "sent" };
  const files = await listFiles(db, tenant, sent, { ...NEWEST_FIRST, limit: FILES_OFFERED });
  return files.filter(({ gateway_id }) => gatewayIds.includes(gateway_id));
}
