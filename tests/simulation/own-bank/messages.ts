/**
 * The files that the simulated bank writes about an account: camt.052, .053 and .054 of its bookings, complete, in
 * parts, in pages and repeated.
 */
import type { Random } from "../../../tools/random.ts";
import { isIn, type BankFile, type Booking, type BookingKind, type FileLine } from "./bookings.ts";
import type { Habits } from "./trouble.ts";

type Family = "camt.052" | "camt.053" | "camt.054";
/** Domain, family, subfamily. An entry with an empty family has no code. */
type Code = readonly [domain: string, family: string, sub: string];

const COLLECTED: Code = ["PMNT", "IDDT", "ESDD"];
const TAKEN_BACK: Code = ["PMNT", "IDDT", "UPDD"];
const SENT: Code = ["PMNT", "ICDT", "ESCT"];
const CODES: Readonly<Record<BookingKind, Code>> = {
  credit: COLLECTED,
  credit_again: COLLECTED,
  credit_ahead: COLLECTED,
  sum: COLLECTED,
  sum_less: COLLECTED,
  sum_part: COLLECTED,
  return: TAKEN_BACK,
  return_again: TAKEN_BACK,
  return_part: TAKEN_BACK,
  foreign_currency: TAKEN_BACK,
  recredit: TAKEN_BACK,
  fee: ["PMNT", "MDOP", "CHRG"],
  fee_again: ["PMNT", "MDOP", "CHRG"],
  transfer: SENT,
  transfer_again: SENT,
  transfer_sum: SENT,
  reversal: ["PMNT", "IDDT", "PRDD"],
  transfer_back: ["PMNT", "ICDT", "RRTN"],
  stranger: ["PMNT", "RCDT", "ESCT"],
  lookalike: COLLECTED,
};
const ROOTS: Readonly<Record<Family, readonly [root: string, part: string]>> = {
  "camt.052": ["BkToCstmrAcctRpt", "Rpt"],
  "camt.053": ["BkToCstmrStmt", "Stmt"],
  "camt.054": ["BkToCstmrDbtCdtNtfctn", "Ntfctn"],
};

export const euros = (cents: number): string => (cents / 100).toFixed(2);

export interface Messages {
  /**
   * An account's bookings of a day as the bank's files: always a statement, possibly other messages, some of them
   * twice.
   */
  ofDay(account: string, day: string, booked: readonly Booking[]): readonly BankFile[];
  /** @param account whose bank writes. */
  nextId(account: string): string;
}

/**
 * @param owner prefix of the bank's ids, which differ between banks.
 * @param alike whether the bank of each account numbers its messages from 1, so that two banks give the same ids.
 */
export function createMessages(random: Random, habits: Habits, owner: string, alike: boolean): Messages {
  const written = new Map<string, number>();
  const balances = new Map<string, number>();
  const numbers = new Map<string, number>();
  const nextId = (account: string) => {
    const bank = alike ? account : "";
    const number = (written.get(bank) ?? 0) + 1;
    written.set(bank, number);
    return `${owner}BANK${number}`;
  };
  const file = (
    family: Family,
    account: string,
    day: string,
    booked: readonly Booking[],
    more: {
      readonly number?: number;
      readonly opening?: number;
      readonly closing?: number;
      readonly page?: { readonly number: number; readonly last: boolean };
      readonly pending?: boolean;
    } = {},
  ): BankFile => {
    const [root, part] = ROOTS[family];
    const { number = null, opening, closing, page, pending = false } = more;
    const pages = (name: string) =>
      page === undefined
        ? ""
        : `<${name}><PgNb>${page.number}</PgNb><LastPgInd>${page.last}</LastPgInd></${name}>`;
    // Older message versions number the message, newer ones the statement.
    const inOldWay = (number ?? 0) % 2 === 1;
    const id = nextId(account);
    const groups = grouped(random, habits, booked);
    const lines = groups.flatMap((group) =>
      group.map((booking): FileLine => ({
        event: pending ? "pending" : booking.kind,
        booking: pending ? null : booking,
        rejections: [],
      })),
    );
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${family}.001.08"><${root}>
<GrpHdr><MsgId>${id}</MsgId><CreDtTm>${day}T18:00:00Z</CreDtTm>${inOldWay ? pages("MsgPgntn") : ""}</GrpHdr>
<${part}><Id>${id}</Id>${inOldWay ? "" : pages(`${part}Pgntn`)}${number === null ? "" : `<ElctrncSeqNb>${number}</ElctrncSeqNb>`}<CreDtTm>${day}T18:00:00Z</CreDtTm><Acct><Id><IBAN>${account}</IBAN></Id><Ccy>EUR</Ccy></Acct>
${opening === undefined ? "" : balance("OPBD", opening, day)}${closing === undefined ? "" : balance("CLBD", closing, day)}
${groups.map((group) => entry(day, group, pending ? "PDNG" : "BOOK")).join("\n")}
</${part}></${root}></Document>`;
    return { xml, kind: family, account, lines, number, page: page?.number ?? null };
  };
  const statement = (account: string, day: string, booked: readonly Booking[]): readonly BankFile[] => {
    const number = (numbers.get(account) ?? 0) + 1;
    numbers.set(account, number);
    const opening = balances.get(account) ?? 100_000;
    const closing = booked.reduce((sum, one) => sum + (isIn(one) ? one.cents : -one.cents), opening);
    balances.set(account, closing);
    if (booked.length < 2 || !random.chance(habits.pages))
      return [file("camt.053", account, day, booked, { number, opening, closing })];
    const half = 1 + random.below(booked.length - 1);
    const [first, second] = [
      { number: 1, last: false },
      { number: 2, last: true },
    ];
    return [
      file("camt.053", account, day, booked.slice(0, half), { number, opening, page: first }),
      file("camt.053", account, day, booked.slice(half), { number, closing, page: second }),
    ];
  };
  return {
    nextId,
    ofDay(account, day, booked) {
      if (booked.length === 0) return [];
      const files = [...statement(account, day, booked)];
      const some = booked.filter(() => random.chance(0.7));
      if (random.chance(0.35) && some.length > 0) files.push(file("camt.052", account, day, some));
      const told = booked.filter(({ kind }) => kind !== "stranger");
      if (random.chance(0.35) && told.length > 0) files.push(file("camt.054", account, day, told));
      if (random.chance(habits.noise * 0.3))
        files.push(file("camt.052", account, day, booked, { pending: true }));
      // The same file again, or the same bookings in another message.
      if (random.chance(habits.resent * 0.4)) files.push(...files.slice(0, 1));
      if (random.chance(habits.resent * 0.4)) files.push(file("camt.054", account, day, booked));
      return files;
    },
  };
}

export function shuffled<T>(random: Random, all: readonly T[]): readonly T[] {
  return all
    .map((one) => ({ one, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const GROUPED: ReadonlySet<BookingKind> = new Set(["credit", "return", "transfer"]);

/** Groups bookings into entries with several lines; every other group is a single entry. */
function grouped(
  random: Random,
  habits: Habits,
  booked: readonly Booking[],
): readonly (readonly Booking[])[] {
  const groups: Booking[][] = [];
  for (const one of booked) {
    const last = groups.at(-1);
    const fits =
      last?.[0]?.kind === one.kind &&
      GROUPED.has(one.kind) &&
      one.fee === 0 &&
      last[0].fee === 0 &&
      one.marked &&
      last[0].marked &&
      (last.length > 1 || random.chance(habits.sums * 0.6));
    if (fits) last?.push(one);
    else groups.push([one]);
  }
  return groups;
}

function balance(kind: string, cents: number, day: string): string {
  const sign = cents < 0 ? "DBIT" : "CRDT";
  return `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${euros(Math.abs(cents))}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;
}

function entry(day: string, group: readonly Booking[], state: string): string {
  const [first] = group as [Booking];
  const { kind, currency, marked, number } = first;
  const [domain, family, sub] = CODES[kind];
  const cents = group.reduce((sum, one) => sum + one.cents, 0);
  const isReturn = CODES[kind] === TAKEN_BACK && kind !== "recredit";
  // Some banks give a returned debit or a transfer no code. The service has to recognise it by its reason and ids.
  const bare = !marked && (isReturn || kind === "transfer" || kind === "reversal");
  const code = bare
    ? "<BkTxCd/>"
    : `<BkTxCd><Domn><Cd>${domain}</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
  const reversal = kind === "recredit" && marked ? "<RvslInd>true</RvslInd>" : "";
  const details = group.map((one) => detailOf(one, group.length > 1, isReturn)).join("");
  const reference = group.length > 1 ? `GRP${number}` : referenceOf(first);
  return `<Ntry><Amt Ccy="${currency}">${euros(cents)}</Amt><CdtDbtInd>${isIn(first) ? "CRDT" : "DBIT"}</CdtDbtInd>${reversal}<Sts><Cd>${state}</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt><AcctSvcrRef>${reference}</AcctSvcrRef>${code}${details === "" ? "" : `<NtryDtls>${details}</NtryDtls>`}</Ntry>`;
}

function referenceOf({ number }: Booking): string {
  return `BANKREF${number}`;
}

function detailOf(one: Booking, among: boolean, isReturn: boolean): string {
  const { of, naming, cents, fee, reason, currency } = one;
  const [about] = of;
  if (about === undefined) return "";
  if (naming === "block") return `<Btch><PmtInfId>${about.blockId}</PmtInfId></Btch>`;
  if (naming === "file") return `<Btch><MsgId>${about.messageId}</MsgId></Btch>`;
  const own = among ? `<AcctSvcrRef>${referenceOf(one)}</AcctSvcrRef>` : "";
  const mandate = about.mandate === "" ? "" : `<MndtId>${about.mandate}</MndtId>`;
  const refs = {
    id: `${own}<EndToEndId>${about.debit ?? about.reference}</EndToEndId>${mandate}`,
    instruction: `${own}<InstrId>${about.debit ?? about.reference}</InstrId>`,
    mandate: `${own}${mandate}`,
    nothing: `${own}<EndToEndId>NOTPROVIDED</EndToEndId>`,
  }[naming];
  const original = cents - fee;
  const amounts =
    among || isReturn
      ? `<AmtDtls><InstdAmt><Amt Ccy="${currency}">${euros(original)}</Amt></InstdAmt></AmtDtls>`
      : "";
  const back = isReturn ? `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>` : "";
  return `<TxDtls><Refs>${refs}</Refs>${amounts}${back}</TxDtls>`;
}
