/** Sign-in with a company's identity provider (OpenID Connect, code with PKCE); the only file that names the library. */
import type * as OpenIdClient from "openid-client";
import type { Deps } from "../deps.ts";
import { later, MINUTE_MS } from "../lib/clock.ts";
import { assert } from "../lib/assert.ts";
import { lazily } from "../lib/lazily.ts";
import type { Requester } from "../webhooks/delivery/send.ts";
import type { ProviderSettings } from "./oidc-store.ts";

/** Loaded with the first sign-in that needs it. */
const library = lazily(async () => await import("openid-client"));

type Parts = Pick<Deps, "keys" | "clock" | "ids" | "publicUrl" | "allowPrivateTargets"> & {
  readonly identity: Requester;
};

/** The state of a sign-in at the provider, in a sealed cookie. */
export interface Flow {
  readonly tenant: number;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Path of the page to continue with. */
  readonly next: string;
  /** The person who proves the second factor again; null for a sign-in. */
  readonly again: string | null;
  readonly until: number;
}

/** The provider's claims. */
export interface Claims {
  readonly subject: string;
  readonly email: string;
  readonly name: string | null;
}

const FLOW_MS = 10 * MINUTE_MS;
const CONFIGURATION_KEPT_MS = 10 * MINUTE_MS;
/** Entra's keys are some 20 kB. */
const ANSWER_BYTES_MAX = 256 * 1_024;
const FLOW_CONTEXT = "oidc-flow";
/** The allowed clock difference: a proof requested now must be made now. */
const AGAIN_SECONDS_MAX = 60;

/** The context with which the secret is sealed. */
export function clientSecretContext(id: string): string {
  return `oidc-client-secret:${id}`;
}

export function callbackUrl({ publicUrl }: Pick<Deps, "publicUrl">): string {
  return `${publicUrl}/console/oidc/callback/`;
}

/**
 * The address to redirect to, and the cookie for the way back.
 * @throws Error when the provider cannot be reached.
 */
export async function beginOidc(
  parts: Parts,
  provider: ProviderSettings,
  given: { readonly next: string; readonly again: string | null; readonly email: string | null },
): Promise<{ readonly url: string; readonly flow: string }> {
  const client = await library();
  const configuration = await configurationOf(parts, provider);
  const flow: Flow = {
    tenant: provider.tenant,
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    next: given.next,
    again: given.again,
    until: later(parts.clock.now(), FLOW_MS).getTime(),
  };
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(parts),
    scope: "openid email profile",
    code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: "S256",
    state: flow.state,
    nonce: flow.nonce,
    ...(given.email === null ? {} : { login_hint: given.email }),
    ...(given.again === null ? {} : { prompt: "login", max_age: "0" }),
  });
  const sealed = parts.keys.seal(0, FLOW_CONTEXT, JSON.stringify(flow));
  return { url: url.href, flow: sealed.toString("base64url") };
}

/**
 * Reads the provider's metadata.
 * @throws Error when there is none.
 */
export async function checkOidc(parts: Parts, provider: ProviderSettings): Promise<void> {
  await configurationOf(parts, provider);
}

/** Reads the flow in a cookie; null for an invalid or expired one. */
export function readFlow({ keys, clock }: Pick<Parts, "keys" | "clock">, cookie: string | null): Flow | null {
  if (cookie === null) return null;
  try {
    const flow = JSON.parse(keys.open(0, FLOW_CONTEXT, Buffer.from(cookie, "base64url")).toString()) as Flow;
    return flow.until > clock.now().getTime() ? flow : null;
  } catch {
    return null;
  }
}

/**
 * The person who came back; null if the provider has not verified the address.
 * @throws Error when its answer is invalid, or belongs to another flow.
 */
export async function finishOidc(
  parts: Parts,
  provider: ProviderSettings,
  flow: Flow,
  pathAndQuery: string,
): Promise<Claims | null> {
  const client = await library();
  const configuration = await configurationOf(parts, provider);
  const { search } = new URL(pathAndQuery, parts.publicUrl);
  const tokens = await client.authorizationCodeGrant(configuration, new URL(callbackUrl(parts) + search), {
    pkceCodeVerifier: flow.verifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
    ...(flow.again === null ? {} : { maxAge: AGAIN_SECONDS_MAX }),
  });
  const claims = tokens.claims();
  assert(claims !== undefined, "the provider gives an id token");
  const { sub: subject, name } = claims;
  const email = typeof claims["email"] === "string" ? claims["email"].toLowerCase() : "";
  if (email === "" || claims["email_verified"] === false) return null;
  return { subject, email, name: typeof name === "string" ? name : null };
}

interface Kept {
  readonly configuration: OpenIdClient.Configuration;
  readonly until: number;
}

/** How long a provider's metadata is cached. */
const kept = new WeakMap<Requester, Map<string, Kept>>();

async function configurationOf(
  parts: Parts,
  provider: ProviderSettings,
): Promise<OpenIdClient.Configuration> {
  const known = kept.get(parts.identity) ?? new Map<string, Kept>();
  kept.set(parts.identity, known);
  const { tenant, issuer, client_id: clientId, client_secret: sealed } = provider;
  const key = `${tenant} ${issuer} ${clientId} ${sealed.toString("base64")}`;
  const now = parts.clock.now().getTime();
  const found = known.get(key);
  if (found !== undefined && found.until > now) return found.configuration;
  const client = await library();
  const secret = parts.keys.open(tenant, clientSecretContext(provider.id), sealed).toString();
  const configuration = await client.discovery(new URL(issuer), clientId, secret, undefined, {
    [client.customFetch]: askingBy(parts.identity),
    // The address is checked like that of a webhook: except in staging and tests only https is allowed.
    execute: parts.allowPrivateTargets ? [client.allowInsecureRequests] : [],
  });
  known.set(key, { configuration, until: now + CONFIGURATION_KEPT_MS });
  return configuration;
}

/** Sends the library's calls through the client that checks addresses. */
function askingBy(identity: Requester): OpenIdClient.CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await identity.ask(
      {
        url,
        method: method === "POST" ? "POST" : "GET",
        headers: { ...headers },
        body: body === null || body === undefined ? null : String(body),
      },
      ANSWER_BYTES_MAX,
    );
    return new Response(new Uint8Array(answer.body), {
      status: answer.status,
      headers: answer.contentType === null ? {} : { "content-type": answer.contentType },
    });
  };
}
