/** Creates the records that a request needs to get past the first checks. */
import { IBAN, lead } from "../../tests/support/merchant.ts";
import { usesUp, type Case, type Fresh } from "./case.ts";
import type { Json } from "./document.ts";
import { valueOf } from "./values.ts";

/** Makes the records without which the request would fail the first checks. */
export async function prepared(made: Case): Promise<Fresh> {
  const { operation, random } = made;
  const { method, path } = operation;
  const resource = /management\/([\w-]+)\/\{id\}/.exec(path)?.[1];
  if (path.includes("/clock/") && method === "POST") {
    // Each job visits each tenant with its own clock, so there are few.
    if (!random.chance(0.3)) return { key: random.pick(made.world.workshop.keys) };
    const { api_key: key } = await create(made, "POST /api/v1/management/tenants/", {
      name: `Clock ${made.index}`,
    });
    return typeof key === "string" ? { key } : {};
  }
  if (resource !== undefined && usesUp(operation)) {
    if (random.chance(0.1)) return {};
    const operation = made.document.operations.find(
      ({ name }) => name === `POST /api/v1/management/${resource}/`,
    );
    const body = operation?.body ? valueOf(made, operation.body) : {};
    const { id } = await create(made, `POST /api/v1/management/${resource}/`, body);
    return typeof id === "string" ? { id } : {};
  }
  const paysFor =
    /transactions\/\{id\}\/refunds|subscriptions\/\{id\}/.test(path) || path.includes("chargebacks/");
  if (paysFor && method === "POST" && random.chance(0.6)) {
    // With a frequency the service collects; without one, on request.
    const frequency = path.endsWith("/collect/") ? null : "MONTHLY";
    return await paid(made, path.includes("subscriptions") ? { billing_frequency: frequency } : null);
  }
  if (
    /\{token\}\/(pay|verify|cancel)\/$|^\/pay\/\{token\}\/(verify\/)?$/.test(path) &&
    method === "POST" &&
    random.chance(0.7)
  ) {
    const token = await session(made, random.chance(0.3) ? { billing_frequency: "MONTHLY" } : null);
    if (token !== null && path.endsWith("/verify/"))
      await payWith(made, token, random.pick([IBAN.verification, IBAN.verificationFails]));
    return token === null ? {} : { token };
  }
  if (path.includes("{verification}") && random.chance(0.5)) {
    const token = await session(made, null);
    const { verification_url: url } = token === null ? {} : await payWith(made, token, IBAN.verification);
    return typeof url === "string" ? { verification: new URL(url).pathname.split("/").at(-1) ?? "" } : {};
  }
  return {};
}

async function create(
  made: Case,
  name: string,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Json> {
  const operation = made.document.operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`${name} is not described`);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => more[parameter] ?? "");
  const key = operation.security.includes("operatorKey") ? made.world.operatorKey : made.key;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await made.send(
    operation,
    { method: operation.method, path, headers, body: Buffer.from(JSON.stringify(body)) },
    made.tenant,
  );
  try {
    return answer.status < 300 ? (JSON.parse(answer.text) as Json) : {};
  } catch {
    return {};
  }
}

type Rhythm = { readonly billing_frequency: string | null };

/** A direct session; with a frequency it makes a subscription. */
async function session(made: Case, rhythm: Rhythm | null): Promise<string | null> {
  const [gateway] = made.tenant.ids.gateways;
  const billing = rhythm === null ? { billing_type: "ONE_OFF" } : { billing_type: "RECURRING", ...rhythm };
  const body = { lead: lead(), gateway_id: gateway, amount: "9.90", currency: "EUR", ...billing };
  const { session_token: token } = await create(made, "POST /api/v1/payment-sessions/", body);
  return typeof token === "string" ? token : null;
}

function payWith(made: Case, token: string, iban: string): Promise<Json> {
  const body = { iban, iban_holder_name: "Ada Example" };
  return create(made, "POST /api/v1/payment-sessions/{token}/pay/", body, { token });
}

/** An approved payment: its transaction, or the subscription that began with it. */
async function paid(made: Case, rhythm: Rhythm | null): Promise<Fresh> {
  const token = await session(made, rhythm);
  if (token === null) return {};
  const { transaction, subscription } = (await payWith(made, token, IBAN.approved)) as Readonly<
    Record<string, Json | null>
  >;
  const id = (rhythm === null ? transaction : subscription)?.["id"];
  return typeof id === "string" ? { id, token } : { token };
}
