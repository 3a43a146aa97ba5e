/** The SQL of accounts at banks over all tenants: how files come and go, without what is in them. */
import { sql, type Reader } from "../db/database.ts";
import type { EbicsUserRow } from "../db/rows.ts";
import { OTHER_HOST_KEY } from "../gateways/sepa-batch/transports/mailbox.ts";

const ACCOUNTS = sql(
  "operator.banks",
  `-- every tenant: the operator looks at all accounts at banks
   select g.tenant, g.id, g.name, coalesce(g.settings -> 'transport' ->> 'kind', 'manual') as transport,
          a.last_run_at, a.polled_at, a.poll_error, u.state, u.stop_reason,
          u.offered_bank_keys is not null as keys_offered
     from gateways g
     left join sepa_accounts a on a.tenant = g.tenant and a.gateway_id = g.id
     left join ebics_users   u on u.tenant = g.tenant and u.gateway_id = g.id
    where g.adapter = 'sepa_batch' and g.archived_at is null
    order by u.state = 'stopped' desc nulls last, a.poll_error is null, g.tenant, g.created_at, g.id
    limit :limit`,
).gives<AccountRow>();

interface AccountRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly transport: string;
  readonly last_run_at: Date | null;
  readonly polled_at: Date | null;
  readonly poll_error: string | null;
  readonly state: EbicsUserRow["state"] | null;
  readonly stop_reason: string | null;
  readonly keys_offered: boolean;
}

const SENT = sql(
  "operator.banks_sent",
  `-- every tenant: the operator looks at all accounts at banks
   select tenant, gateway_id, max(sent_at) as sent_at
     from sepa_files
    where direction = 'out' and sent_at is not null
    group by tenant, gateway_id`,
).gives<{ tenant: number; gateway_id: string; sent_at: Date | null }>();

const READ = sql(
  "operator.banks_read",
  `-- every tenant: the operator looks at all accounts at banks
   select tenant, gateway_id, max(ends_on) as ends_on
     from sepa_statements
    group by tenant, gateway_id`,
).gives<{ tenant: number; gateway_id: string; ends_on: string | null }>();

/** Why files do not come or go: the bank's server shows another key, it could not be read, or the bank refuses the user. */
export type BankTrouble = "host_key" | "unread" | "stopped";

export interface BankState {
  readonly tenant: number;
  readonly name: string;
  readonly transport: string;
  readonly last_run_at: Date | null;
  readonly polled_at: Date | null;
  readonly sent_at: Date | null;
  /** The last day of the newest statement. */
  readonly statement_on: string | null;
  /** Of the EBICS user; null for other transports. */
  readonly user: EbicsUserRow["state"] | null;
  readonly trouble: BankTrouble | null;
  /** The bank's code for a refusal. What else it says may name a customer: the company's page of the bank has it. */
  readonly code: string | null;
}

/** Those in trouble first. */
export async function readBankStates(db: Reader, limit: number): Promise<readonly BankState[]> {
  const [accounts, sent, read] = await Promise.all([
    db.query(ACCOUNTS, { limit }),
    db.query(SENT, {}),
    db.query(READ, {}),
  ]);
  const sentAt = new Map(sent.map((row) => [row.gateway_id, row.sent_at]));
  const readOn = new Map(read.map((row) => [row.gateway_id, row.ends_on]));
  return accounts.map((account) => {
    const { tenant, id, name, transport, last_run_at, polled_at, state } = account;
    return {
      tenant,
      name,
      transport,
      last_run_at,
      polled_at,
      sent_at: sentAt.get(id) ?? null,
      statement_on: readOn.get(id) ?? null,
      user: transport === "ebics" ? state : null,
      trouble: troubleOf(account),
      code: /^\d{6}/.exec(account.stop_reason ?? "")?.[0] ?? null,
    };
  });
}

function troubleOf({ transport, state, keys_offered, poll_error }: AccountRow): BankTrouble | null {
  if (transport === "ebics" && keys_offered) return "host_key";
  if (transport === "ebics" && state === "stopped") return "stopped";
  if (poll_error === null) return null;
  return poll_error.includes(OTHER_HOST_KEY) ? "host_key" : "unread";
}
