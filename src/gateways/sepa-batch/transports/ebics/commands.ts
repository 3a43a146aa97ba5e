/** Command-line operations on EBICS users; each returns the text to print. */
import { COMMAND_LINE } from "../../../../management/audit/audit.ts";
import { accountNamed } from "../../accounts.ts";
import { hexPairs } from "./letter.ts";
import type { LetterLanguage } from "./letter-texts.ts";
import type { EbicsDeps } from "./session.ts";
import { initialise } from "./initialise.ts";
import { letterOf, userOf, type ShownUser } from "./shown.ts";
import type { UserCommand } from "./user-commands.ts";
import {
  requestBankKeys,
  changeKeys,
  confirmBankKeys,
  resume,
  suspendUser,
  type LetterHashes,
} from "./users.ts";

/** The commands about a user, by their second word. */
const STEPS: Readonly<Record<string, (deps: EbicsDeps, command: UserCommand) => Promise<void>>> = {
  keys: (deps, command) => initialise(deps, command, false),
  "new-keys": (deps, command) => initialise(deps, command, true),
  "bank-keys": requestBankKeys,
  resume,
  "change-keys": changeKeys,
  suspend: suspendUser,
  status: async () => {},
};

/**
 * Runs a command about a user.
 * @throws Refusal for an unknown gateway, and for what is not possible now.
 */
export async function ebicsStep(deps: EbicsDeps, step: string, gatewayId: string): Promise<string> {
  const command = await commandOf(deps, gatewayId);
  await STEPS[step]?.(deps, command);
  return wordsOf(await userOf(deps, command.account));
}

/**
 * Confirms the bank's keys.
 * @throws as `ebicsStep`; FieldErrors for a hash that does not match the bank's key.
 */
export async function ebicsConfirm(
  deps: EbicsDeps,
  gatewayId: string,
  letter: LetterHashes,
): Promise<string> {
  const command = await commandOf(deps, gatewayId);
  await confirmBankKeys(deps, command, letter);
  return wordsOf(await userOf(deps, command.account));
}

/** The letter's page. */
export async function ebicsLetter(
  deps: EbicsDeps,
  gatewayId: string,
  language: LetterLanguage,
): Promise<string> {
  return letterOf(deps, (await commandOf(deps, gatewayId)).account, language);
}

async function commandOf(deps: EbicsDeps, gatewayId: string): Promise<UserCommand> {
  const account = await accountNamed(deps, gatewayId);
  return { account, operationId: deps.ids.uuid(), author: COMMAND_LINE };
}

function wordsOf(user: ShownUser): string {
  const keys = (title: string, list: ShownUser["keys"]) =>
    list.map(({ version, hash }) => `${title} ${version}  ${hexPairs(Buffer.from(hash, "hex"))}`);
  return [
    `${user.ebics_version} ${user.host_id} ${user.partner_id} ${user.user_id}: ${user.state}`,
    ...(user.stop_reason === null ? [] : [user.stop_reason]),
    ...keys("our key       ", user.keys),
    ...keys("our former key", user.former_keys),
    ...keys("bank's key    ", user.bank_keys),
    ...keys("to be compared", user.offered_bank_keys),
  ].join("\n");
}
