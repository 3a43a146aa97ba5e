/** People in a simulated browser: cookies, forms with their tokens, second factors. */
import assert from "node:assert/strict";
import { callerFor } from "./console-caller.ts";
import type { Response, Service } from "./service.ts";
import { OPERATOR_KEY, freshAddress } from "./service.ts";
import { totp } from "../../src/people/totp.ts";
import { COMMAND_LINE } from "../../src/management/audit/audit.ts";
import type { TenantRole } from "../../src/people/access.ts";
import { invite } from "../../src/people/manage.ts";

/** A browser: it keeps cookies and sends forms as browsers do. */
export interface Browser {
  readonly cookies: Map<string, string>;
  readonly from: string;
  get(path: string): Promise<Response>;
  /** Sends a form of the page, with the token that the page has. */
  submit(page: string, action: string, fields?: Readonly<Record<string, string>>): Promise<Response>;
  /** Sends a form unchanged. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}

export function browser(service: Pick<Service, "url">, from = freshAddress()): Browser {
  const cookies = new Map<string, string>();
  const call = callerFor(service.url, from, cookies);
  const tokens = new Map<string, string>();
  return {
    cookies,
    from,
    get: (path) => call("GET", path, null, {}),
    post: (path, fields, headers = {}) =>
      call("POST", path, new URLSearchParams(fields).toString(), {
        "sec-fetch-site": "same-origin",
        ...headers,
      }),
    async submit(page, action, fields = {}) {
      const shown = await call("GET", page, null, {});
      const csrf = tokenIn(shown) ?? tokens.get(page) ?? "";
      tokens.set(page, csrf);
      const body = new URLSearchParams({ csrf, ...fields }).toString();
      return call("POST", action, body, {
        "sec-fetch-site": "same-origin",
        referer: `${service.url}${page}`,
      });
    },
  };
}

/** The token of the forms on a page. */
export function tokenIn({ text }: Response): string | null {
  return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? null;
}

export const PASSWORD = "violet kettle marches 7 north";

export interface Company {
  readonly id: string;
  /** The tenant's number in the database. */
  readonly tenant: number;
  /** The first API key. */
  readonly key: string;
}

export async function createCompany(service: Service, name = "Shop"): Promise<Company> {
  const { body } = await service.post("management/tenants/", { name }, { key: OPERATOR_KEY });
  const [row] = await service.rows("select tenant from tenants where id = $1", [body["id"]]);
  return { id: body["id"], tenant: row?.["tenant"], key: body["api_key"] };
}

let count = 0;

/** Invites a person with the operator's key. @returns the id, the address and the link's path. */
export async function invited(
  service: Service,
  company: Company,
  role: TenantRole,
  email = `${role}-${(count += 1)}@example.com`,
): Promise<{ readonly id: string; readonly email: string; readonly path: string }> {
  const given = { email, name: `Ada ${role}`, role };
  const made = await service.post(`management/tenants/${company.id}/people/`, given, { key: OPERATOR_KEY });
  assert.equal(made.status, 201, made.text);
  return { id: made.body["id"], email, path: new URL(made.body["link"]).pathname };
}

/** A signed-in person with their own browser. */
export interface Member {
  readonly id: string;
  readonly email: string;
  readonly browser: Browser;
}

/** Invites a person, accepts the invitation and signs in with a password, if no second factor is required. */
export async function member(
  service: Service,
  company: Company,
  role: TenantRole,
  given: { readonly email?: string; readonly password?: string } = {},
): Promise<Member> {
  const { id, email, path } = await invited(service, company, role, given.email);
  const own = browser(service);
  const accepted = await own.submit(path, path, {
    name: `Ada ${role}`,
    password: given.password ?? PASSWORD,
  });
  assert.equal(accepted.status, 303, accepted.text);
  return { id, email, browser: own };
}

/** A signed-in operator, with the required second factor. */
export async function operator(service: Service): Promise<Member> {
  const { deps } = service.app;
  const email = `operator-${(count += 1)}@example.com`;
  const given = { tenant: 0, email, name: "Grace Operator", role: "operator" } as const;
  const { link, person } = await invite(deps, { ...COMMAND_LINE, operationId: deps.ids.uuid() }, given);
  const { pathname } = new URL(link);
  const own = browser(service);
  assert.equal((await own.submit(pathname, pathname, { name: "Grace", password: PASSWORD })).status, 303);
  await setUpTotp(own, deps.clock.now());
  return { id: person.id, email, browser: own };
}

/** Signs in with a password. @returns the response to the form. */
export function signIn(
  own: Browser,
  email: string,
  password = PASSWORD,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return own.submit("/console/sign-in/", "/console/sign-in/", { email, password, ...more });
}

/** Sets up an authenticator app; returns its secret and the recovery codes. */
export async function setUpTotp(
  own: Browser,
  at: Date,
): Promise<{ readonly secret: Buffer; readonly codes: readonly string[] }> {
  const page = await own.get("/console/account/authenticator/");
  assert.equal(page.status, 200, page.text);
  const key = /<code>([A-Z2-7]+)<\/code>/.exec(page.text)?.[1] ?? "";
  const sealed = /name="sealed" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
  const secret = fromBase32(key);
  const csrf = tokenIn(page) ?? "";
  const done = await own.post("/console/account/authenticator/", { csrf, sealed, code: codeAt(secret, at) });
  assert.equal(done.status, 200, done.text);
  return {
    secret,
    codes: [...done.text.matchAll(/[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}/g)].map(([code]) => code),
  };
}

/** The code that the app displays at this time. */
export function codeAt(secret: Buffer, at: Date): string {
  return totp(secret, Math.floor(at.getTime() / 30_000));
}

/** Decodes the secret that a page shows. */
export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  ).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
