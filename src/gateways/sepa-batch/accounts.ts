/** A tenant's accounts at banks: when their next files are written, and what waits for them. */
import type { Deps } from "../../deps.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { addTargetDays } from "../../sepa/target.ts";
import { nextCutOff, submissionDay } from "../../sepa/windows.ts";
import { isUuid } from "../../lib/ids.ts";
import { Refusal } from "../../refusals.ts";
import { type AccountRow, findAccounts, sumWaiting, type WaitingSum } from "./files-store.ts";
import { sepaSettings, transportOf } from "./settings.ts";

export interface BankAccount {
  readonly gateway_id: string;
  /** The last digits of the account that money is collected to. */
  readonly iban_last4: string;
  readonly next_file_at: Date;
  /** The first day on which waiting instructions can be due. */
  readonly due_from: IsoDate;
  /** How files reach the bank. */
  readonly transport: string;
  readonly last_file_on: IsoDate | null;
  readonly waiting: readonly Omit<WaitingSum, "gateway_id">[];
}

export async function accountsOf(
  { db, time }: Pick<Deps, "db" | "time">,
  tenant: number,
): Promise<readonly BankAccount[]> {
  const now = time.now(tenant);
  const [accounts, waiting] = await Promise.all([findAccounts(db, tenant), sumWaiting(db, tenant)]);
  return accounts.map(({ id, settings, last_run_on }) => {
    const { creditorIban, cutOff, timeZone: zone, leadDays } = sepaSettings(settings);
    const until = { time: cutOff, zone };
    return {
      gateway_id: id,
      iban_last4: creditorIban.slice(-4),
      next_file_at: nextCutOff(now, until),
      due_from: addTargetDays(submissionDay(now, until), leadDays),
      transport: transportOf(settings).kind,
      last_file_on: last_run_on,
      waiting: waiting
        .filter((sum) => sum.gateway_id === id)
        .map(({ currency, count, amount }) => ({ currency, count, amount })),
    };
  });
}

/**
 * Finds an account of any tenant by the id that an operator has typed.
 * @throws Refusal `not_found` unless it is the id of a gateway of this kind.
 */
export async function accountNamed({ db }: Pick<Deps, "db">, gatewayId: string): Promise<AccountRow> {
  const [account] = isUuid(gatewayId) ? await findAccounts(db, null, gatewayId) : [];
  if (account === undefined)
    throw new Refusal("not_found", { detail: `${gatewayId} is not a sepa_batch gateway.` });
  return account;
}
