/** Where the sandbox bank's customer confirms or refuses a mandate. */
import { Type } from "../../lib/schema.ts";
import type { Database } from "../../db/database.ts";
import type { Answer, Router } from "../../http/endpoint.ts";
import type { TenantTime } from "../../lib/clock.ts";
import { isUuid, type Ids } from "../../lib/ids.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { unknownPage, verificationPage } from "./verification-page.ts";
import { MANDATE_REFUSED, returnUrlContext } from "./sandbox.ts";
import { findByVerification, moveBook, type Book } from "./store.ts";

interface Parts {
  readonly db: Database;
  readonly time: TenantTime;
  readonly ids: Ids;
  readonly keys: Keyring;
}

const PATH = "/sandbox/verifications/{id}";
const params = Type.Object({ id: Type.String() });
const response = { 200: Type.String() };
const common = { tag: "Sandbox", access: "anyone", hidden: true } as const;

/** Declares the page and its form. */
export function sandboxRoutes(router: Router, parts: Parts): void {
  router.add("GET", PATH, {
    ...common,
    summary: "The sandbox bank's verification page",
    schema: { params, response },
    handle: (call) =>
      withBook(parts, call.params.id, (book, nonce) => verificationPage(book, returnUrl(parts, book), nonce)),
  });

  router.add("POST", PATH, {
    ...common,
    summary: "The customer's decision",
    body: "form",
    schema: {
      params,
      body: Type.Object({ decision: Type.Enum(["confirm", "refuse"]) }),
      response,
    },
    handle: (call) =>
      withBook(parts, call.params.id, async (book) => {
        await decide(parts, book, call.body.decision);
        return { status: 303, headers: { location: returnUrl(parts, book) ?? "/" }, body: "" };
      }),
  });
}

async function withBook(
  { db, ids }: Parts,
  id: string,
  answer: (book: Book, nonce: string) => Answer | Promise<Answer>,
): Promise<Answer> {
  const nonce = ids.secret(16).toString("base64");
  const book = isUuid(id) ? await findByVerification(db, id) : null;
  return book === null ? unknownPage(nonce) : answer(book, nonce);
}

/** Where the customer goes back to, with the verification's id (docs/api.md, The sandbox). */
function returnUrl({ keys }: Parts, book: Book): string | null {
  if (book.return_url === null) return null;
  const url = new URL(keys.open(book.tenant, returnUrlContext(book.reference), book.return_url).toString());
  url.searchParams.set("verification_id", book.verification_id ?? "");
  return url.href;
}

/** The first answer counts; after a fence there is nothing left to answer. */
async function decide({ db, time }: Parts, book: Book, decision: "confirm" | "refuse"): Promise<void> {
  const account = { tenant: book.tenant, gatewayId: book.gateway_id };
  const fails = decision === "refuse" || book.scenario === "verify_fails";
  await moveBook(db, account, book.reference, {
    from: ["awaiting_customer"],
    to: fails ? "refused" : "charged",
    charges: !fails,
    now: time.now(book.tenant),
    ...(fails ? MANDATE_REFUSED : {}),
  });
}
