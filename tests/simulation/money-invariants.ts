/**
 * Invariants of the service's records and the bank's books: no double charge, no lost payment, responses that stay
 * true.
 */
import { readSessionToken } from "../../src/tenants/signed-address.ts";
import { TAKEN, type EntryState } from "./bank.ts";
import { PAID, type View } from "./records.ts";
import type { Json } from "../support/service.ts";
import { CLOCKS_APART_MS, type World } from "./world.ts";

/** For each status of ours, the states that the bank may have at the same moment; null: no entry for this reference. */
const SALES: Readonly<Record<string, readonly (EntryState | null)[]>> = {
  pending: ["pending", "settled", "returned", "charged_back", "withdrawn"],
  approved: ["charged", "settled", "charged_back"],
  refunded: ["charged", "settled", "charged_back"],
  charged_back: ["charged_back"],
  declined: [null, "refused", "fenced", "returned", "withdrawn"],
};
const REFUNDS: Readonly<Record<string, readonly (EntryState | null)[]>> = {
  pending: ["pending", "settled", "returned"],
  approved: ["given", "settled"],
  declined: [null, "refused", "fenced", "returned"],
};
/** The same at the end, when the service has processed all news. */
const QUIET_SALES: typeof SALES = {
  ...SALES,
  pending: [],
  approved: ["charged", "settled"],
  refunded: ["charged", "settled"],
};
/** The bank's states of a payment that was reinstated. */
const AGAIN: ReadonlySet<EntryState> = new Set(["settled", "charged_back"]);
/** Clocks differ by up to some seconds and may go back; relevant events are further apart. */
const MOMENT_MS = 60_000;
/** A session that waits for a verification is extended by this time (contract: Limits). */
const VERIFICATION_MS_MIN = 3_600_000;

/** No customer is debited twice for a session, and a session presents no more payments than it allows. */
export function brokenCharges({ world, sessions, entries }: View): readonly string[] {
  const { keys } = (world.instances[0] as World["instances"][number]).app.deps;
  const asked = new Map<string, { charges: number; references: number }>();
  for (const { kind, recurring, returnUrl, state } of entries) {
    const token = /\/pay\/([^/]+)\//.exec(returnUrl)?.[1];
    if (kind !== "sale" || recurring || token === undefined) continue;
    const id = readSessionToken(keys, token)?.sessionId ?? "";
    const seen = asked.get(id) ?? { charges: 0, references: 0 };
    asked.set(id, { charges: seen.charges + (TAKEN.has(state) ? 1 : 0), references: seen.references + 1 });
  }
  return sessions.flatMap(({ id, attempts_max: max }) => {
    const { charges, references } = asked.get(id) ?? { charges: 0, references: 0 };
    return [
      ...(charges > 1 ? [`MONEY-1: session ${id} was charged ${charges} times`] : []),
      ...(references > max
        ? [`SESSION-2: session ${id} asked the bank ${references} times, and may ${max} times`]
        : []),
    ];
  });
}

/** Our record of each reference and the bank's agree, to the cent. */
export function brokenTransactions({ transactions, entry: find, quiet }: View): readonly string[] {
  return transactions.flatMap(({ reference, status, type, cents, source }) => {
    const entry = find(reference);
    if (source === "csv_import")
      return entry === undefined ? [] : [`MONEY-4: ${reference} is ours, and was imported as another one`];
    const table = type === "sdd_refund" ? REFUNDS : quiet ? QUIET_SALES : SALES;
    const agreed = table[status];
    const state = entry?.state ?? null;
    const words = `${reference} (${type}) is ${status} here and ${state ?? "unknown"} at the bank`;
    // News of chargebacks and reinstatements is applied in order, so our status may lag behind.
    const lags = !quiet && entry !== undefined && entry.round > 0 && AGAIN.has(entry.state);
    if (!lags && agreed !== undefined && !agreed.includes(state)) return [`MONEY-2: ${words}`];
    if (entry !== undefined && entry.kind !== "unknown" && entry.amount !== cents)
      return [`MONEY-3: ${words}: ${cents} here and ${entry.amount} there`];
    return [];
  });
}

export function brokenRefunds({ transactions, entry }: View): readonly string[] {
  return transactions.flatMap(({ id, reference, cents, refunded, type, held }) => {
    if (type === "sdd_refund")
      return held && entry(reference) !== undefined
        ? [`MONEY-13: the refund ${reference} is held here, and known to the bank`]
        : [];
    const given = transactions
      .filter(({ original_id: of, status }) => of === id && status === "approved")
      .reduce((sum, refund) => sum + refund["cents"], 0);
    return [
      ...(given > cents ? [`MONEY-5: ${reference} gave back ${given} of ${cents}`] : []),
      ...(given === refunded
        ? []
        : [`MONEY-8: ${reference} counts ${refunded} as refunded, and its refunds are ${given}`]),
    ];
  });
}

/** Within half a day a key has one effect, however often it is sent. */
export function repeated({ promises: { forgotten }, sessions, transactions }: View): readonly string[] {
  const twice = (what: string, marks: readonly unknown[]) =>
    marks
      .filter((mark, at) => mark !== null && !forgotten.has(mark) && marks.indexOf(mark) !== at)
      .map((mark) => `CALL-2: ${what} ${String(mark)} was made twice under one key`);
  return [
    ...twice(
      "session",
      sessions.map(({ customer_ip: ip }) => ip),
    ),
    ...twice(
      "refund",
      transactions.filter(({ status }) => status !== "declined").map(({ reason }) => reason),
    ),
  ];
}

/** COMPLETED and EXPIRED are final. */
export function brokenHistory({ promises, sessions }: View): readonly string[] {
  return sessions.flatMap(({ id, status, attempts_used: used, attempts_max: max }) => {
    const before = promises.statuses.get(id);
    promises.statuses.set(id, status);
    const final = before === "COMPLETED" || before === "EXPIRED";
    return [
      ...(final && before !== status ? [`SESSION-3: session ${id} was ${before} and is ${status}`] : []),
      ...(used > max || used < 0 ? [`SESSION-2: session ${id} has used ${used} of ${max} attempts`] : []),
    ];
  });
}

/** A session refuses another one for its lead only while it can be paid or its payment is running. */
export function refusedForNothing({ promises: { leadsTaken }, shop, sessions }: View): readonly string[] {
  return leadsTaken
    .filter(
      ({ tenant, email, fromMs, toMs }) =>
        tenant === shop.tenant &&
        !sessions.some(
          (session) =>
            session["email"] === email &&
            session["created_ms"] <= toMs + MOMENT_MS &&
            session["until_ms"] >= fromMs - MOMENT_MS,
        ),
    )
    .map(
      ({ email, toMs }) =>
        `SESSION-6: ${email} was refused at ${new Date(toMs).toISOString()}, without an active session`,
    );
}

/** Everything that the bank holds for us is in our records. */
export function lostMoney({ transactions, entries }: View): readonly string[] {
  const known = new Set(transactions.map(({ reference }) => reference));
  const lost = entries.filter(
    ({ reference, state, kind }) =>
      kind !== "unknown" && state !== "fenced" && state !== "refused" && !known.has(reference),
  );
  const sum = (all: readonly { readonly cents: number }[]) =>
    all.reduce((total, { cents }) => total + cents, 0);
  const ours = sum(
    transactions.filter(
      ({ type, status, source }) => type !== "sdd_refund" && source !== "csv_import" && PAID.has(status),
    ) as never,
  );
  const theirs = entries
    .filter(({ kind, state }) => kind === "sale" && TAKEN.has(state))
    .reduce((total, { amount }) => total + amount, 0);
  const given = sum(
    transactions.filter(({ type, status }) => type === "sdd_refund" && status === "approved") as never,
  );
  const gave = entries.reduce((total, { refunded }) => total + refunded, 0);
  return [
    ...lost.map(({ reference, state }) => `MONEY-4: ${reference} is ${state} at the bank and unknown here`),
    ...(ours === theirs ? [] : [`MONEY-4: ${ours} cents collected here, ${theirs} at the bank`]),
    ...(given === gave ? [] : [`MONEY-4: ${given} cents refunded here, ${gave} at the bank`]),
  ];
}

/** An imported payment and its imported chargeback are linked, whichever was imported first. */
export function brokenImports({ shop, promises, transactions, chargebacks }: View): readonly string[] {
  return promises.importedBack(shop.tenant).flatMap((reference) => {
    const payment = transactions.find((one) => one["reference"] === reference);
    const chargeback = chargebacks.find((one) => one["reference"] === reference);
    const isLinked = chargeback !== undefined && chargeback["transaction_id"] === payment?.["id"];
    return isLinked && payment?.["status"] === "charged_back"
      ? []
      : [
          `MONEY-11: the imported ${reference} is ${payment?.["status"]}, and its chargeback is ${isLinked ? "" : "not "}linked`,
        ];
  });
}

/** A chargeback has the amount that the bank has taken back. */
export function brokenChargebacks({ chargebacks, entry, quiet }: View): readonly string[] {
  return chargebacks.flatMap(({ reference, cents, withdrawn_on: withdrawn }) => {
    const there = entry(reference);
    if (withdrawn !== null || there === undefined || there.backed === cents) return [];
    // After several chargebacks with reinstatements in between, the service may have learnt of an earlier one only.
    if (!quiet && there.backs.includes(cents)) return [];
    return [`MONEY-3: the chargeback of ${reference} is of ${cents} here and of ${there.backed} at the bank`];
  });
}

/** No payment begins after its session has expired, unless something extended the session in between. */
export function begunTooLate({ promises: { begun }, sessions }: View): readonly string[] {
  return begun.flatMap(({ sessionId, transactionId, startedMs, endsMs }) => {
    const session = sessions.find(({ id }) => id === sessionId);
    // The other merchant's are in that one's view.
    if (session === undefined) return [];
    const awaited: readonly Json[] = session["awaited"] ?? [];
    const extended = awaited
      .filter(({ by }) => by !== transactionId)
      .map(({ at_ms: atMs }) => atMs + VERIFICATION_MS_MIN);
    return startedMs > Math.max(endsMs, ...extended) + CLOCKS_APART_MS
      ? [`SESSION-7: a payment began after the time of session ${sessionId}`]
      : [];
  });
}
