/** `management/ebics/{gateway id}/`: the keys of an account at its bank's EBICS host, and `management/sepa-files/{id}/history/`. */
import type { Deps } from "../../../../deps.ts";
import { tenantOf, type Call, type EndpointSchema, type Router } from "../../../../http/endpoint.ts";
import { nullable, oneOf } from "../../../../http/fields.ts";
import { NullableText, NullableTime, Time, Uuid } from "../../../../http/response-fields.ts";
import { timesAsText } from "../../../../http/times-as-text.ts";
import { isUuid } from "../../../../lib/ids.ts";
import { Type } from "../../../../lib/schema.ts";
import { IdInPath, MANAGEMENT } from "../../../../management/resource-routes.ts";
import { Refusal } from "../../../../refusals.ts";
import { requireFile } from "../../file-commands.ts";
import { findAccounts, type AccountRow } from "../../files-store.ts";
import { LETTER_LANGUAGES } from "./letter-texts.ts";
import { LETTER_POLICY } from "./letter.ts";
import { historyOf } from "./orders-store.ts";
import { LETTER_KEYS, letterOf, userOf } from "./shown.ts";
import { initialise } from "./initialise.ts";
import type { UserCommand } from "./user-commands.ts";
import { listUsers } from "./users-store.ts";
import { requestBankKeys, changeKeys, confirmBankKeys, resume, suspendUser } from "./users.ts";

const PATH = `${MANAGEMENT}ebics/`;
const tag = "EBICS";

const STATES = ["made", "sent", "ready", "stopped", "suspended"] as const;

const ShownKeys = Type.Array(
  Type.Object({
    use: Type.Enum(["signature", "authentication", "encryption"]),
    version: Type.String(),
    hash: Type.String({ description: "SHA-256 of the public key, hexadecimal." }),
    certificate_hash: nullable(Type.String({ description: "SHA-256 of the certificate, hexadecimal." })),
  }),
);

const EbicsUser = Type.Object(
  {
    gateway_id: Uuid,
    ebics_version: Type.Enum(["H004", "H005"]),
    host_id: Type.String(),
    partner_id: Type.String(),
    user_id: Type.String(),
    state: Type.Enum([...STATES]),
    stop_reason: NullableText,
    keys: ShownKeys,
    former_keys: ShownKeys,
    bank_keys: ShownKeys,
    offered_bank_keys: ShownKeys,
    confirmed_at: NullableTime,
    created_at: Time,
    updated_at: Time,
  },
  { $id: "EbicsUser" },
);
const Users = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        gateway_id: Uuid,
        state: Type.Enum([...STATES]),
        stop_reason: NullableText,
        created_at: Time,
        updated_at: Time,
      }),
    ),
  },
  { $id: "EbicsUsers" },
);
const Hash = Type.String({ minLength: 64, maxLength: 128, pattern: "^[0-9A-Fa-f\\s:]+$" });
const ConfirmBody = Type.Object(
  { authentication_hash: Hash, encryption_hash: Hash },
  { $id: "EbicsConfirm" },
);
const KeysBody = Type.Object(
  {
    anew: Type.Optional(Type.Boolean({ description: "true replaces the existing keys by new ones." })),
  },
  { $id: "EbicsKeys" },
);
const History = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        at: Time,
        order_id: Type.String(),
        action: Type.String(),
        reason: Type.String(),
        text: Type.String(),
      }),
    ),
  },
  { $id: "SepaFileHistory" },
);

/** Declares the endpoints on the router. */
export function ebicsRoutes(router: Router, deps: Deps): void {
  readRoutes(router, deps);
  exchangeRoutes(router, deps);
  lifeRoutes(router, deps);
}

function readRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List the accounts' EBICS users",
    tag,
    access: "read",
    schema: {
      query: Type.Object({ state: Type.Optional(oneOf(STATES)) }),
      response: { 200: Users },
    },
    async handle(call) {
      const users = await listUsers(deps.db, tenantOf(call), call.query.state ?? null);
      return { status: 200, body: { results: users.map(timesAsText) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read the state of an account's EBICS user, with the hashes of all keys",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: EbicsUser } },
    handle: async (call) => shown(deps, await accountOf(deps, call, call.params.id)),
  });

  router.add("GET", `${PATH}{id}/letter/`, {
    summary: "Print the letter of INI and HIA",
    description:
      "Sign it and send it to the bank, which compares the hashes with the keys that it has received. `former` is the letter of the keys that newer ones are to replace, while the bank may still have those.",
    tag,
    access: "read",
    html: true,
    schema: {
      params: IdInPath,
      query: Type.Object({
        language: Type.Optional(oneOf(LETTER_LANGUAGES)),
        keys: Type.Optional(oneOf(LETTER_KEYS)),
      }),
      response: { 200: Type.String() },
    },
    async handle(call) {
      const account = await accountOf(deps, call, call.params.id);
      return {
        status: 200,
        headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": LETTER_POLICY },
        body: await letterOf(deps, account, call.query.language ?? "en", call.query.keys),
      };
    },
  });

  router.add("GET", `${MANAGEMENT}sepa-files/{id}/history/`, {
    summary: "List what the bank's protocol (HAC) says of a file",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: History } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = await requireFile(deps, { tenant, id: call.params.id });
      const results = (await historyOf(deps.db, tenant, id)).map(
        ({ at, order_id, action, reason, text }) => ({
          at: at.toISOString(),
          order_id,
          action,
          reason,
          text,
        }),
      );
      return { status: 200, body: { results } };
    },
  });
}

function exchangeRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${PATH}{id}/keys/`, {
    summary: "Make EBICS keys and send them to the bank (INI, HIA)",
    description: "Called again after an error, it goes on where it ended.",
    tag,
    access: "bank",
    schema: { params: IdInPath, body: KeysBody, response: { 200: EbicsUser } },
    handle: (call) =>
      done(deps, call, call.params.id, (command) => initialise(deps, command, call.body.anew ?? false)),
  });

  router.add("POST", `${PATH}{id}/bank-keys/`, {
    summary: "Fetch the bank's keys (HPB)",
    description: "They are used only once their hashes were confirmed.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: EbicsUser } },
    handle: (call) => done(deps, call, call.params.id, (command) => requestBankKeys(deps, command)),
  });

  router.add("POST", `${PATH}{id}/confirm/`, {
    summary: "Confirm the bank's keys by the hashes in the bank's letter",
    description: "Copy both hashes from the letter, not from the answer of `bank-keys`.",
    tag,
    access: "bank",
    schema: { params: IdInPath, body: ConfirmBody, response: { 200: EbicsUser } },
    handle: (call) =>
      done(deps, call, call.params.id, (command) =>
        confirmBankKeys(deps, command, {
          authentication: call.body.authentication_hash,
          encryption: call.body.encryption_hash,
        }),
      ),
  });
}

function lifeRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${PATH}{id}/resume/`, {
    summary: "Go on after the bank has refused the user or a file",
    description:
      "Files that were refused are sent again: correct the cause first, or withdraw them. The bank is also visited within a minute.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: EbicsUser } },
    handle: (call) => done(deps, call, call.params.id, (command) => resume(deps, command)),
  });

  router.add("POST", `${PATH}{id}/change-keys/`, {
    summary: "Give the bank new keys (HCS)",
    description: "When the bank's answer was lost, calling it again finds out which keys the bank has.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: EbicsUser } },
    handle: (call) => done(deps, call, call.params.id, (command) => changeKeys(deps, command)),
  });

  router.add("POST", `${PATH}{id}/suspend/`, {
    summary: "Have the bank lock the user (SPR)",
    description: "For keys that may be known to others. Afterwards the bank has to reset the user.",
    tag,
    access: "bank",
    schema: { params: IdInPath, response: { 200: EbicsUser } },
    handle: (call) => done(deps, call, call.params.id, (command) => suspendUser(deps, command)),
  });
}

async function done(
  deps: Pick<Deps, "db" | "keys">,
  call: Call<EndpointSchema>,
  id: string,
  work: (command: UserCommand) => Promise<void>,
) {
  const account = await accountOf(deps, call, id);
  await work({ account, operationId: call.operationId, author: call });
  return shown(deps, account);
}

async function shown(deps: Pick<Deps, "db" | "keys">, account: AccountRow) {
  return { status: 200 as const, body: await userOf(deps, account) };
}

/** @throws Refusal not_found. */
async function accountOf(
  { db }: Pick<Deps, "db">,
  call: Call<EndpointSchema>,
  id: string,
): Promise<AccountRow> {
  const [account] = isUuid(id) ? await findAccounts(db, tenantOf(call), id) : [];
  if (account === undefined) throw new Refusal("not_found");
  return account;
}
