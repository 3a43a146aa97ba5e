/** Examines a request that a receiver would not accept, with the profile's own secrets. Stores nothing. */
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../lib/ids.ts";
import { Refusal } from "../../refusals.ts";
import { secretsOf } from "../delivery/attempt.ts";
import { standardSignatureOf } from "../delivery/signature.ts";
import { verifyDoctor } from "../signature-doctor.ts";
import { findProfileToTest } from "./store.ts";

interface Finding {
  /** The header that the finding is about. */
  readonly header: string;
  readonly right: boolean;
  readonly words: string;
}

const OURS = "X-Service-Signature";
const STANDARD = "webhook-signature";

/**
 * Examines a request.
 * @param headers as received, one per line.
 * @throws Refusal not_found.
 */
export async function examineRequest(
  deps: Pick<Deps, "clock" | "db" | "keys">,
  tenant: number,
  profileId: string,
  given: { readonly headers: string; readonly body: string },
): Promise<readonly Finding[]> {
  const profile = isUuid(profileId) ? await findProfileToTest(deps.db, tenant, profileId) : null;
  if (profile === null) throw new Refusal("not_found");
  const { current, previous } = secretsOf(deps, tenant, profile);
  const headers = headersIn(given.headers);
  return [
    ourFinding(current, previous, headers.get(OURS.toLowerCase()), given.body),
    ...standardFindings([current, ...(previous === null ? [] : [previous])], headers, given.body),
  ];
}

function ourFinding(
  current: string,
  previous: string | null,
  signature: string | undefined,
  body: string,
): Finding {
  if (signature === undefined)
    return {
      header: OURS,
      right: false,
      words: "Header: it is not among the headers. Did a proxy remove it?",
    };
  const verdict = verifyDoctor(current, signature, Buffer.from(body));
  if (verdict.right || previous === null || !verifyDoctor(previous, signature, Buffer.from(body)).right)
    return { header: OURS, ...verdict };
  const words =
    "Secret: this signature was made with the previous secret. It is also sent in X-Service-Signature-Previous, for 24 hours after the rotation.";
  return { header: OURS, right: false, words };
}

/** Checks the signature of Standard Webhooks, if it is among the headers: it covers id and time too. */
function standardFindings(
  secrets: readonly string[],
  headers: ReadonlyMap<string, string>,
  body: string,
): readonly Finding[] {
  const signature = headers.get(STANDARD);
  if (signature === undefined) return [];
  const [id = "", seconds = ""] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
  const found = (words: string, right = false): readonly Finding[] => [{ header: STANDARD, right, words }];
  if (id === "") return found("Header: webhook-id is missing; the signature covers it.");
  if (!/^\d{1,12}$/.test(seconds))
    return found("Header: webhook-timestamp is missing or is not a number of seconds.");
  const made = secrets.map((secret) => standardSignatureOf(secret, id, Number(seconds), body));
  return signature.split(/\s+/).some((one) => made.includes(one))
    ? found("The signature is right: it covers this id, this time and exactly these bytes.", true)
    : found(
        "It does not belong to this id, this time and this body: one of them was changed, or the secret is another one.",
      );
}

/** Headers by name in lower case; of repeated names the last. */
function headersIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/).flatMap((line): (readonly [string, string])[] => {
    const at = line.indexOf(":", 1);
    return at === -1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]];
  });
  return new Map(lines);
}
