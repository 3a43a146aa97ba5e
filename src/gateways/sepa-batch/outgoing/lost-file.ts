/** Records a file that the bank has and a restored database does not know as sent. Nothing in it must be sent again. */
import { writeEntry, type Author } from "../../../management/audit/audit.ts";
import type { Tx } from "../../../db/database.ts";
import type { Deps } from "../../../deps.ts";
import { BankFileRefused } from "../../../files/refused.ts";
import { centsFromDatabase, formatAmount, type Cents } from "../../../lib/money.ts";
import type { IsoDate } from "../../../lib/dates.ts";
import { NAME_CHARS_MAX } from "../../../sepa/messages/lengths.ts";
import { toSepaText } from "../../../sepa/messages/text.ts";
import { sepaSettings } from "../settings.ts";
import { sumOf } from "../../../sepa/messages/file-rules.ts";
import {
  readSentFile,
  type SentBlock,
  type SentFile,
  type SentOrder,
} from "../../../sepa/messages/reading/sent-file.ts";
import {
  findFileScope,
  insertPacked,
  lockReading,
  rememberAccount,
  type AccountRow,
} from "../files-store.ts";
import { pack } from "../pack.ts";
import { markBatched, type Placed } from "./store.ts";
import {
  findFiles,
  lockByMessage,
  lockNamed,
  markArrived,
  type KnownFile,
  type NamedRow,
} from "./lost-file-store.ts";

/** An order at the bank that needs a person, and why. */
interface Odd {
  readonly order: SentOrder;
  readonly dueDate: string;
  readonly why: string;
}

export interface LostFile {
  readonly messageId: string;
  /** The file's status before; null if it was unknown. */
  readonly before: string | null;
  /** Number of waiting instructions that are now recorded in the file. */
  readonly taken: number;
  /** Orders at the bank that the books cannot represent. */
  readonly odd: readonly Odd[];
}

/**
 * Records that the bank has the file with these bytes. Can be repeated.
 * @throws BankFileRefused unless it is a file with orders of this account.
 */
export async function recordLostFile(
  deps: Pick<Deps, "db" | "clock" | "ids" | "keys" | "time">,
  account: AccountRow,
  bytes: Buffer,
  author: Author,
): Promise<LostFile> {
  const file = await readSentFile(chunks(bytes));
  const { tenant, id: gatewayId } = account;
  const now = deps.time.now(tenant);
  return deps.db.transaction(async (tx) => {
    // Two commands about one file take turns; the locked rows keep a collector's run out.
    await lockReading(tx, tenant);
    checkAccount(file, (await findFileScope(tx, tenant, gatewayId)).ibans);
    const known = await lockByMessage(tx, tenant, gatewayId, file.messageId);
    const orders = file.blocks.flatMap((block) => block.orders.map((order) => ({ block, order })));
    const rows = await lockNamed(
      tx,
      tenant,
      gatewayId,
      orders.map(({ order }) => order.endToEndId),
    );
    const id = known?.id ?? deps.ids.uuid();
    const day = dayOf(file, rows);
    if (known === null) await insert(deps, tx, account, { id, file, bytes, day }, now);
    const others = await findFiles(tx, tenant, [...new Set(rows.flatMap(({ file_id }) => file_id ?? []))]);
    const byReference = new Map(rows.map((row) => [row.reference, row]));
    const odd: Odd[] = [];
    const amounts: Cents[] = [];
    let taken = 0;
    for (const block of file.blocks) {
      const placed: Placed[] = [];
      for (const order of block.orders) {
        const row = byReference.get(order.endToEndId);
        const why = whyOdd(order, row, { id, kind: file.kind }, others);
        if (why !== null) odd.push({ order, dueDate: block.dueDate, why });
        else amounts.push(order.amount);
        if (why === null && row?.state === "accepted") placed.push(placedOf(account, block, order, row));
      }
      await markBatched(tx, tenant, gatewayId, { id, dueDate: day ?? block.dueDate }, placed, now);
      taken += placed.length;
    }
    const amount = formatAmount(sumOf(amounts, file.messageId));
    const found = { transactions: amounts.length, amount, error: oddWords(odd) };
    await markArrived(tx, tenant, id, found, deps.clock.now());
    await rememberAccount(tx, account, file.blocks[0]?.iban ?? "", now);
    const lost = { messageId: file.messageId, before: known?.status ?? null, taken, odd };
    if (known?.status !== "sent" || taken > 0) await note(deps, tx, account, id, lost, author);
    return lost;
  });
}

/** Records that the bank has a file that is in the books under this message id; null if it is not. */
export async function recordArrived(
  deps: Pick<Deps, "db" | "clock" | "ids">,
  account: AccountRow,
  messageId: string,
  author: Author,
): Promise<LostFile | null> {
  return deps.db.transaction(async (tx) => {
    await lockReading(tx, account.tenant);
    const known = await lockByMessage(tx, account.tenant, account.id, messageId);
    // The instructions of a withdrawn file wait for another one: only the file's content shows what the bank has.
    if (known === null || known.status === "withdrawn") return null;
    const lost = { messageId, before: known.status, taken: 0, odd: [] };
    if (known.status === "sent") return lost;
    const found = { transactions: null, amount: null, error: null };
    await markArrived(tx, account.tenant, known.id, found, deps.clock.now());
    await note(deps, tx, account, known.id, lost, author);
    return lost;
  });
}

/**
 * For reversals the last day on which the bank accepts them, as the file only names the day of the debits. Null for
 * other files.
 */
function dayOf({ kind }: SentFile, rows: readonly NamedRow[]): IsoDate | null {
  if (kind !== "pain.007") return null;
  return rows.flatMap(({ reversible_until: until }) => until ?? []).toSorted()[0] ?? null;
}

/** Stores the file as it would have been stored when it was written. */
async function insert(
  deps: Pick<Deps, "keys">,
  tx: Tx,
  { tenant, id: gatewayId }: AccountRow,
  given: {
    readonly id: string;
    readonly file: SentFile;
    readonly bytes: Buffer;
    /** The day of the whole file, if it differs from that of its blocks. */
    readonly day: IsoDate | null;
  },
  now: Date,
): Promise<void> {
  const { id, file, bytes, day } = given;
  const { sha256, size, packed } = await pack(deps.keys, tenant, id, chunks(bytes));
  const stored = {
    id,
    sha256,
    size,
    gatewayId,
    direction: "out",
    kind: file.kind,
    name: `${file.messageId}.xml`,
    messageId: file.messageId,
    // Set once it is known which of its transactions are in the books.
    transactions: 0,
    amount: "0.00",
    dueDate: day ?? file.blocks[0]?.dueDate ?? null,
    status: "ready",
    error: null,
    dueAt: null,
  } as const;
  await insertPacked(tx, tenant, stored, packed.pieces(), now).finally(() => packed.close());
}

function note(
  { clock, ids }: Pick<Deps, "clock" | "ids">,
  tx: Tx,
  { tenant }: AccountRow,
  id: string,
  { messageId, before, taken, odd }: LostFile,
  author: Author,
): Promise<void> {
  return writeEntry(tx, author, {
    tenant,
    id: ids.uuid(),
    at: clock.now(),
    action: before === null ? "create" : "update",
    resource: "sepa-files",
    resourceId: id,
    before: before === null ? null : { status: before },
    after: { status: "sent", message_id: messageId, taken, odd: odd.length },
  });
}

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function checkAccount(file: SentFile, ibans: readonly string[]): void {
  if (file.blocks.every(({ iban }) => ibans.includes(iban))) return;
  throw new BankFileRefused("another_account", "The file is for an account that this gateway has never used");
}

/** Why the books cannot represent an order; null if they can. */
function whyOdd(
  order: SentOrder,
  row: NamedRow | undefined,
  file: { readonly id: string; readonly kind: SentFile["kind"] },
  others: readonly KnownFile[],
): string | null {
  if (row === undefined) return "is not known here";
  if (
    row.is_refund !== (file.kind !== "pain.008") ||
    (row.reversible_until !== null) !== (file.kind === "pain.007")
  )
    return "is of another kind here";
  if (centsFromDatabase(row.amount) !== order.amount) return `is of ${row.amount} EUR here`;
  if (row.state === "accepted" || row.file_id === file.id) return null;
  const other = others.find(({ id }) => id === row.file_id);
  if (other === undefined) return `is ${row.state} here`;
  return other.status === "sent"
    ? `was sent in ${other.name} too`
    : `is in ${other.name} too (${other.status}): withdraw that`;
}

const WORDS_MAX = 1_000;

/** Describes them, to be stored with the file. */
function oddWords(odd: readonly Odd[]): string | null {
  if (odd.length === 0) return null;
  const each = odd.map(({ order, why }) => `${order.endToEndId} ${why}`).join("; ");
  return `The bank has ${odd.length} more of this file, which a person must check: ${each}`.slice(
    0,
    WORDS_MAX,
  );
}

/** The account and the mandate's amendments stay those of the books: an amendment is announced again. */
function placedOf(account: AccountRow, block: SentBlock, order: SentOrder, row: NamedRow): Placed {
  const ours = [row.creditor_name, sepaSettings(account.settings).creditorName];
  const debit = order.mandateReference !== null && order.reverses === null;
  return {
    reference: row.reference,
    block_id: block.id,
    sequence_type: debit ? block.sequenceType : null,
    mandate_id: debit ? row.mandate_id : null,
    mandate_reference: order.mandateReference ?? row.mandate_reference,
    amended_up_to: null,
    debtor_name: asInBooks([row.debtor_name], order.name ?? row.debtor_name),
    debtor: null,
    scheme: debit ? block.scheme : null,
    creditor_name: debit ? asInBooks(ours, block.creditorName) : null,
    creditor_identifier: debit ? block.creditorIdentifier : null,
  };
}

/** The name as in the books: a file contains it in SEPA characters. */
function asInBooks(names: readonly (string | null)[], written: string): string {
  return names.find((name) => name !== null && toSepaText(name, NAME_CHARS_MAX) === written) ?? written;
}
