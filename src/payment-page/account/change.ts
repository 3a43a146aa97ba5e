/** A customer has a mandate's debits made from another account of theirs: the mandate is amended, under the text that they agree to. */
import type { Deps } from "../../deps.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import type { Author } from "../../management/audit/audit.ts";
import { amendMandate } from "../../mandates/amend.ts";
import { livemode } from "../../payments/transaction.ts";
import { checkIban, isDocumentationIban } from "../../sepa/iban.ts";
import { countAccountOfLead, countInvalid } from "../../sessions/limit-store.ts";
import { customerEvent } from "../../webhooks/events.ts";
import { tellEvent } from "../../webhooks/tell-store.ts";
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
  readonly operationId: string;
  readonly author: Author;
}

type Parts = Pick<Deps, "announce" | "banks" | "clock" | "db" | "environment" | "ids" | "keys" | "time">;

const TOO_MANY = { retryAfter: 60 };

/** What is wrong with what was typed; nothing when the account is changed. @throws Refusal throttled, mandate_not_active. */
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
    if (!may) throw new Refusal("throttled", TOO_MANY);
    return faults;
  }
  if (!input.isAccepted) return faults;
  await countAccount(deps, input, checked.iban);
  try {
    await amend(deps, input);
  } catch (error) {
    if (!(error instanceof FieldErrors)) throw error;
    // Otherwise its bank asks for an address that is not known.
    const isExample = isDocumentationIban(checked.iban);
    return { iban: isExample ? words.texts.reasons.invalid_iban : words.say("addressHint") };
  }
  return {};
}

/** @throws Refusal throttled. */
async function countAccount(
  deps: Parts,
  { tenant, leadId, author }: ChangeInput,
  iban: string,
): Promise<void> {
  const [ibanFingerprint] = deps.keys.fingerprints(tenant, iban);
  const { clientIp } = author;
  await deps.db.transaction(async (tx) => {
    const now = deps.time.now(tenant);
    const may = await countAccountOfLead(tx, tenant, { leadId, ibanFingerprint, clientIp, now });
    if (!may) throw new Refusal("throttled", TOO_MANY);
  });
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
    return tellEvent(tx, tenant, deps.time.now(tenant), { transactionId: null, sessionId }, event);
  });
  deps.announce();
}
