/** Checks the service against a bank whose server failed, by the files that the bank has accepted. */
import { scenarioOf } from "../../src/gateways/sandbox/scenarios.ts";
import type { Json } from "../../tests/support/service.ts";
import { unclearOnTheList, type Bank } from "./bank.ts";
import type { World } from "./world.ts";

const OPEN = `
  select format('file %s is %s after %s attempts: %s', name, status, attempts, error) as what
    from sepa_files where direction = 'out' and status in ('stored', 'uploading', 'renaming', 'unclear')
   union all
  select format('the bank''s notice that %s was %s is not taken', reference, kind)
    from sepa_news where acknowledged_at is null`;

/** What has not ended yet, on either side. */
export async function openAtTheBank(world: World, { sftp }: Bank): Promise<readonly string[]> {
  return [
    ...(await world.rows(OPEN)).map((row): string => row["what"]),
    ...[...sftp.outbox.keys()]
      .filter((name) => !name.startsWith("."))
      .map((name) => `${name} lies in the bank's folder`),
    ...[...sftp.inbox.keys()].map((name) => `${name} was not fetched`),
  ];
}

/** Violations, once nothing is open. */
export async function wrongAtTheBank(world: World, bank: Bank): Promise<readonly string[]> {
  return [
    ...twice(bank),
    ...(await lost(world, bank)),
    ...(await hidden(world, bank)),
    ...(await misread(world, bank)),
    ...(await untold(world, bank)),
  ];
}

function twice({ taken }: Bank): readonly string[] {
  const references = taken.flatMap(({ order }) =>
    [...order.debits, ...order.transfers].map(({ reference }) => reference),
  );
  const counts = Map.groupBy(references, (reference) => reference);
  return [...counts].flatMap(([reference, times]) =>
    times.length > 1 ? [`the bank was asked ${times.length} times for ${reference}`] : [],
  );
}

/** A file is at the bank exactly when it is sent. */
async function lost(world: World, { taken, unreadable, shop }: Bank): Promise<readonly string[]> {
  const files = await world.rows(
    `select f.name, f.status from sepa_files f join tenants n on n.tenant = f.tenant
      where n.id = $1 and f.direction = 'out'`,
    [shop.merchant.tenantId],
  );
  const atTheBank = new Set(taken.map(({ name }) => name));
  return [
    ...unreadable.map((name) => `the bank was given ${name}, which it cannot read`),
    ...files.flatMap(({ name, status }) => {
      if (status === "sent" && !atTheBank.has(name)) return [`${name} is sent, and the bank never had it`];
      return status !== "sent" && atTheBank.has(name)
        ? [`${name} is ${status}, and the bank has taken it`]
        : [];
    }),
  ];
}

async function hidden(world: World, bank: Bank): Promise<readonly string[]> {
  const unclear = await world.rows("select id, name from sepa_files where status = 'unclear'");
  if (unclear.length === 0) return [];
  const shown = new Set((await unclearOnTheList(world, bank)).map(({ id }) => id as string));
  return unclear.flatMap(({ id, name }) =>
    shown.has(id) ? [] : [`${name} is unclear, and no list shows it`],
  );
}

/** Each of the bank's files was applied once, and is in the archive unchanged. */
async function misread(world: World, { laid, sftp, shop }: Bank): Promise<readonly string[]> {
  const read = await world.rows(
    `select f.name, f.status, f.error, count(*)::integer as times from sepa_files f join tenants n on n.tenant = f.tenant
      where n.id = $1 and direction = 'in' group by f.name, f.status, f.error`,
    [shop.merchant.tenantId],
  );
  const applied = new Map(
    read.flatMap((row) => (row["status"] === "applied" ? [[row["name"], row["times"]]] : [])),
  );
  return [
    ...read.flatMap((row) =>
      row["status"] === "refused" ? [`${row["name"]} was refused: ${row["error"]}`] : [],
    ),
    ...[...laid].flatMap(([name, bytes]) => [
      ...(applied.get(name) === 1 ? [] : [`${name} was read ${applied.get(name) ?? 0} times`]),
      ...(sftp.archive.get(name)?.equals(bytes) === true ? [] : [`${name} is not in the archive as it was`]),
    ]),
  ];
}

const FATES: Readonly<Record<string, readonly string[]>> = {
  decline: ["declined"],
  charge_back: ["charged_back"],
  return_later: ["charged_back"],
};

/** The records agree with the bank's bookings. */
async function untold(world: World, { taken, shop }: Bank): Promise<readonly string[]> {
  const rows = await world.rows(
    `select t.merchant_transaction_id as reference, t.status, t.amount from transactions t join tenants n on n.tenant = t.tenant
      where n.id = $1`,
    [shop.merchant.tenantId],
  );
  const known = new Map(rows.map((row): [string, Json] => [row["reference"], row]));
  const compare = (reference: string, cents: number, fates: readonly string[]): readonly string[] => {
    const row = known.get(reference);
    if (row === undefined) return [`the bank has booked ${reference}, which has no transaction`];
    const { status, amount } = row;
    return fates.includes(status) && Math.round(Number(amount) * 100) === cents
      ? []
      : [`the bank has booked ${cents} cents for ${reference}, which is ${status} over ${amount}`];
  };
  return taken.flatMap(({ order }) => [
    ...order.debits.flatMap(({ reference, cents, iban }) =>
      compare(reference, cents, FATES[scenarioOf(iban).kind] ?? ["approved", "refunded"]),
    ),
    ...order.transfers.flatMap(({ reference, cents }) => compare(reference, cents, ["approved"])),
  ]);
}
