/**
 * Equivalent mutants, each with the reason: decided by hand. They are not counted. An entry without a mutant is an
 * error: its code has changed, so check again.
 */
import type { Mutant } from "./mutant.ts";

export interface Harmless {
  readonly file: string;
  /** The statement's name; absent for TypeScript. */
  readonly statement?: string;
  readonly operator: string;
  /** A part of the line of the change. */
  readonly line: string;
  /** The replacement, if the line has several mutants of the operator. */
  readonly to?: string;
  readonly reason: string;
}

export const HARMLESS: readonly Harmless[] = [
  {
    file: "src/gateways/sepa-batch/outgoing/send-order.ts",
    operator: "boolean",
    line: 'if (!(await moveIfFit(deps, file, "uploading"))) return false;',
    reason: "The count of a pass says only whether the next one follows at once.",
  },
  {
    file: "src/mandates/files/import.ts",
    operator: "removed call",
    line: "taken.clear();",
    reason: "It saves memory: what was written is known to the database, too.",
  },
  {
    file: "src/subscriptions/change.ts",
    operator: "removed condition",
    line: "if (row.billing_frequency === null || row.next_billing_date === null)",
    to: "row.billing_frequency === null",
    reason:
      "Of those with a frequency only a cancelled one has no next date, and that one is refused before.",
  },
  {
    file: "src/gateways/try-connection.ts",
    operator: "removed branch",
    line: "row.adapter !== SEPA_ADAPTER",
    reason: "The settings of another adapter name no transport, so there is no mailbox to open either.",
  },
  {
    file: "src/payments/news/fetch.ts",
    operator: "removed call",
    line: "failed.push(reference);",
    reason:
      "A notice that failed again is due later than the pass that forgets those that were due before it.",
  },
  {
    file: "src/gateways/sepa-batch/transports/ebics/host.ts",
    operator: "removed default",
    line: "totalMs: answerMs ?? ANSWER_MS_MAX",
    to: "ANSWER_MS_MAX",
    reason: "Only tests give another limit, to wait less.",
  },
  {
    file: "src/subscriptions/renewal-store.ts",
    statement: "billing.claim_due",
    operator: "boundary",
    line: "resolve_at <= $2",
    to: "<",
    reason:
      "What is due, or whose lease ends, in this very millisecond is taken by the next pass, seconds later.",
  },
  {
    file: "src/sessions/expire.ts",
    operator: "off by one",
    line: "let done = 0;",
    to: "1",
    reason:
      "The count of a pass says only whether the next one follows at once: there is one more pass, or none more.",
  },
  {
    file: "src/sessions/session.ts",
    operator: "boundary",
    line: "session.expiresAt > atLeast ? session.expiresAt : atLeast",
    reason: "Of two times that are equal either is the later one.",
  },
  {
    file: "src/sessions/links/use.ts",
    operator: "boolean",
    line: "if (!(await reserveUse(tx, tenant, sessionId))) return false;",
    reason:
      "The session is not idle, so the second claim fails like the first, and the session that is read then says why. Only if what kept it busy ends just before it is read is the refusal payment_link_in_use, which like payment_in_progress says to try again.",
  },
  {
    file: "src/payments/imports/words.ts",
    operator: "removed default",
    line: 'words.at(-1) ?? ""',
    reason: "Every list that is put in words has a last one: those of our statuses and types.",
  },
  {
    file: "src/gateways/sepa-batch/incoming/statements/keep.ts",
    operator: "off by one",
    line: "`${endsOn.slice(0, 4)}/${sequence}`",
    to: "5",
    reason: "The hyphen after the year belongs to every day: the same statements share a year.",
  },
  {
    file: "src/gateways/sepa-batch/incoming/statements/keep.ts",
    operator: "off by one",
    line: "`${endsOn.slice(0, 4)}/${sequence}`",
    to: "1",
    reason: "Years of one millennium differ in their last three digits.",
  },
  {
    file: "src/gateways/sepa-batch/incoming/statements/keep.ts",
    operator: "negated condition",
    line: 'return amount.startsWith("-") ? 0 - cents : cents;',
    reason: "Balances are only compared for equality: with all signs turned round the same ones are equal.",
  },
  {
    file: "src/gateways/sepa-batch/incoming/statements/keep.ts",
    operator: "removed branch",
    line: "if (all.length === 0) return;",
    reason:
      "Of no statements none is inserted, and no account is looked at; the branch spares the statement.",
  },
  {
    file: "src/gateways/sepa-batch/transports/ebics/hac.ts",
    operator: "removed default",
    line: '.map((line) => elementText(line) ?? "")',
    reason: "Joined lines are the same: join writes null as an empty text.",
  },
  {
    file: "src/gateways/sepa-batch/incoming/changes-store.ts",
    operator: "removed branch",
    line: "if (names.length === 0) return new Set();",
    reason: "The statement finds none of no names; the branch spares it for nearly every chunk.",
  },
  {
    file: "src/gateways/sepa-batch/transports/ebics/host.ts",
    operator: "boolean",
    line: 'signal.addEventListener("abort", end, { once: true });',
    reason: "A signal aborts once, and the listener is removed when the host is closed.",
  },
  {
    file: "src/gateways/sepa-batch/transports/ebics/settings.ts",
    operator: "off by one",
    line: "maxLength: 64,",
    reason: "No order is as long: the pattern of the line before ends before 40 characters.",
  },
  {
    file: "src/payments/imports/abandoned.ts",
    operator: "off by one",
    line: "const TENANTS_PER_PASS = 50;",
    reason: "How many tenants a pass takes: the others are taken by the passes after it.",
  },
  {
    file: "src/books/collections.ts",
    operator: "removed condition",
    line: 'if (status === "declined" || isOpen(status)) return [];',
    to: "isOpen(status)",
    reason:
      "The model is not asked about a declined refund: it only lists its facts as strange, which the check does not read.",
  },
  {
    file: "src/gateways/records/gateway-record.ts",
    operator: "removed condition",
    line: 'typeof identifier === "string" && typeof name === "string" ?',
    reason:
      "Former creditors are read only where files are written (sepa_files.lock_outdated_mandates): the settings of those accounts must have both.",
  },
  {
    file: "src/mandates/files/import.ts",
    operator: "removed condition",
    line: "rows.some(isOfExample) && (await hasLiveGateway(tx, tenant))",
    to: "(await hasLiveGateway(tx, tenant))",
    reason:
      "Each row is asked again whether it is an example; the condition spares a batch without one the query.",
  },
  {
    file: "src/gateways/sepa-batch/incoming/fetch.ts",
    operator: "removed branch",
    line: "if (count > size) break;",
    reason: "A file that is too long is refused all the same, after the rest of it was fetched as well.",
  },
  {
    file: "src/gateways/sepa-batch/transports/sftp.ts",
    operator: "removed call",
    line: 'socket.once("close", () => signal.removeEventListener("abort", cut));',
    reason: "It saves memory: to destroy a closed socket changes nothing.",
  },
  {
    file: "src/gateways/sepa-batch/transports/sftp.ts",
    operator: "other word",
    line: 'new SftpClient("bank", quiet)',
    reason: "The library uses the name only in its own log, which is off.",
  },
  {
    file: "src/gateways/sepa-batch/outgoing/write-files.ts",
    operator: "off by one",
    line: 'readableText(Buffer.from(account.id.replaceAll("-", "").slice(-8), "hex"))',
    to: "9",
    reason: "Other four letters of the same account: half a byte at the end is not read.",
  },
  {
    file: "src/subscriptions/record-renewal-outcome.ts",
    operator: "boundary",
    line: "row.attempts > 1",
    reason: "A first attempt is held before it is written as well, which takes two more round trips.",
  },
];

/** The entry of a mutant; null if it is not harmless. */
export function harmlessEntry(mutant: Mutant, entries: readonly Harmless[] = HARMLESS): Harmless | null {
  return (
    entries.find(
      ({ file, statement, operator, line, to }) =>
        mutant.file === file &&
        mutant.statement === (statement ?? null) &&
        mutant.operator === operator &&
        mutant.line.includes(line) &&
        (to === undefined || mutant.change.to === to),
    ) ?? null
  );
}
