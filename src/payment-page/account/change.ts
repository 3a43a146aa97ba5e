/** Moves a customer's mandate to another account: amends the mandate, under the text that the customer agrees to. */
import type { Deps } from "../../deps.ts";
import { SECOND_MS } from "../../lib/clock.ts";
import { Refusal, TooManyTries } from "../../refusals.ts";
import type { Author } from "../../management/audit/audit.ts";
import { openIban } from "../../mandates/account.ts";
import { AccountRefused, amendMandate } from "../../mandates/amend.ts";
import { livemode } from "../../payments/transaction.ts";
import { checkIban } from "../../sepa/iban.ts";
import { countAccountOfLead, countInvalid, findReachedOfLead } from "../../sessions/limit-store.ts";
import { customerEvent } from "../../webhooks/events.ts";
import { recordEvent } from "../../webhooks/record-event-store.ts";
import { shownVersion } from "../mandate-text.ts";
import { ibanFault, type Faults } from "../render/form.ts";
import type { PageWords } from "../render/wording.ts";
import type { AccountMandate, AccountPageRow } from "./store.ts";

interface ChangeInput {
  readonly tenant: number;
  readonly leadId: string;
  readonly account: AccountPageRow;
  readonly mandate: AccountMandate;
  readonly words: PageWords;
  readonly iban: string;
  readonly isAccepted: boolean;
  /** The customer's browser, if accounts are counted by browser; else null. */
  readonly device: string | null;
  readonly operationId: string;
  readonly author: Author;
}

type Parts = Pick<Deps, "announce" | "banks" | "clock" | "db" | "environment" | "ids" | "keys" | "time">;

/**
 * Changes the account and returns the errors in the form, which are empty on success.
 * @throws Refusal throttled, mandate_not_active.
 */
export async function changeAccount(deps: Parts, input: ChangeInput): Promise<Faults> {
  const { tenant, leadId, words } = input;
  const checked = checkIban(input.iban);
  const fault = ibanFault(words, checked, input.iban);
  const faults = {
    ...(fault === null ? {} : { iban: fault }),
    ...(input.isAccepted ? {} : { accepted: words.say("mandateMissing") }),
  };
  if (!checked.valid || fault !== null) {
    const may = await countInvalid(deps.db, tenant, leadId, deps.time.now(tenant));
    if (!may) throw await throttled(deps, input, null);
    return faults;
  }
  if (!input.isAccepted) return faults;
  // The mandate's current account counts neither as an attempt nor as an amendment.
  if (openIban(deps, { tenant, ...input.mandate }) === checked.iban) return {};
  await countAccount(deps, input, deps.keys.fingerprints(tenant, checked.iban)[0]);
  try {
    await amend(deps, input);
  } catch (error) {
    if (!(error instanceof AccountRefused)) throw error;
    return { iban: refusedWords(words, error.why) };
  }
  return {};
}

/** The message for a refused account: if the address is missing, the customer is to give it to the merchant. */
function refusedWords(words: PageWords, why: AccountRefused["why"]): string {
  if (why === "no_address") return words.say("addressHint");
  return words.texts.reasons[why === "example" ? "invalid_iban" : "do_not_honor"];
}

/**
 * Counts the account against the limits.
 * @throws Refusal throttled.
 */
async function countAccount(deps: Parts, input: ChangeInput, ibanFingerprint: Buffer): Promise<void> {
  const { tenant } = input;
  const counted = accountOf(deps, input, ibanFingerprint);
  if ((await findReachedOfLead(deps.db, tenant, counted)) !== null)
    throw await throttled(deps, input, ibanFingerprint);
  try {
    await deps.db.transaction(async (tx) => {
      if (!(await countAccountOfLead(tx, tenant, counted))) throw new Refusal("throttled");
    });
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "throttled") throw error;
    throw await throttled(deps, input, ibanFingerprint);
  }
}

/** The refusal, with the time until the next attempt is accepted. */
async function throttled(deps: Parts, input: ChangeInput, ibanFingerprint: Buffer | null): Promise<Refusal> {
  const account = accountOf(deps, input, ibanFingerprint);
  const freeAt = await findReachedOfLead(deps.db, input.tenant, account);
  const waitMs = freeAt === null ? SECOND_MS : freeAt.getTime() - account.now.getTime();
  return new TooManyTries(Math.max(1, Math.ceil(waitMs / SECOND_MS)));
}

function accountOf(
  deps: Parts,
  { tenant, leadId, author: { clientIp }, device }: ChangeInput,
  ibanFingerprint: Buffer | null,
) {
  return { leadId, ibanFingerprint, clientIp, device, now: deps.time.now(tenant) };
}

async function amend(deps: Parts, input: ChangeInput): Promise<void> {
  const { tenant, leadId, account, mandate, words, operationId, author } = input;
  const { id, session_id: sessionId, reference } = mandate;
  const accepted = { ip: author.clientIp, textVersion: shownVersion(mandate, words.language) };
  const command = { tenant, id, operationId, author };
  await amendMandate(deps, command, { iban: input.iban, accepted }, (tx) => {
    const facts = {
      livemode: livemode(deps, account),
      tenantReferenceId: null,
      orderNumber: null,
      metadata: null,
    };
    const act = {
      kind: "account_changed",
      lead_id: leadId,
      mandate_id: id,
      mandate_reference: reference,
    } as const;
    const event = customerEvent(deps.ids.uuid(), facts, act);
    return recordEvent(tx, tenant, deps.time.now(tenant), { transactionId: null, sessionId }, event);
  });
  deps.announce();
}
