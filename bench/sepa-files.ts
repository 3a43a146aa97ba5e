/** How long 100,000 collections take to write, and how much memory: `node bench/sepa-files.ts [count] [--read]`. */
import { addTargetDays } from "../src/banking/target.ts";
import { cents } from "../src/lib/money.ts";
import { answer } from "../src/sepa/bank/answer.ts";
import { readPain008 } from "../src/sepa/bank/read.ts";
import type { Collection, DirectDebitFile } from "../src/sepa/direct-debit-file.ts";
import { writePain008 } from "../src/sepa/pain008.ts";

/** Documented test accounts of the sandbox: one good, one that is returned. */
const IBANS = ["DE89370400440532013000", "NL91ABNA0417164300", "DE78370400440532013004"];
const NAMES = [
  "Erika Mustermann",
  "Jürgen Groß & Söhne",
  "Łucja Żółć",
  "Γεώργιος Παπαδόπουλος",
  "Щерю Желев",
];
const BLOCKS = 4;

const count = Number(process.argv[2] ?? 100_000);
const file = fileOf(count);

const start = process.hrtime.bigint();
let chars = 0;
const kept: string[] = [];
for (const piece of writePain008(file)) {
  chars += piece.length;
  if (process.argv.includes("--read")) kept.push(piece);
}
report(`wrote ${count} collections, ${Math.round(chars / 1_000_000)} MB`, start);
if (kept.length > 0) {
  const reading = process.hrtime.bigint();
  const received = readPain008(kept.join(""));
  report(`the simulated bank read ${received.count}`, reading);
  const answering = process.hrtime.bigint();
  const kind = (iban: string) => ({ kind: iban === IBANS[2] ? "return_later" : "approve" });
  const { camt053 } = answer(received, kind, { id: "BANK-1", receivedAt: file.createdAt, booking: "single" });
  report(`and answered with ${Math.round(camt053.length / 1_000_000)} MB of statements`, answering);
}

function fileOf(count: number): DirectDebitFile {
  const collections = Array.from({ length: count }, (_, index) => collectionAt(index));
  const size = Math.ceil(count / BLOCKS);
  return {
    version: "pain.008.001.08",
    messageId: "PSB-20261120-000001",
    createdAt: new Date("2026-11-20T14:00:00Z"),
    scheme: "CORE",
    batchBooking: true,
    creditor: {
      name: "Example Shop GmbH",
      iban: IBANS[0] ?? "",
      bic: null,
      identifier: "DE98ZZZ09999999999",
    },
    blocks: Array.from({ length: BLOCKS }, (_, index) => ({
      id: `PSB-20261120-000001-${index}`,
      sequenceType: "RCUR",
      dueDate: addTargetDays("2026-11-24", index),
      collections: collections.slice(index * size, (index + 1) * size),
    })),
  };
}

function collectionAt(index: number): Collection {
  const id = String(index).padStart(8, "0");
  return {
    endToEndId: `TXN-20261120-${id}`,
    instructionId: `PSB-20261120-000001-${id}`,
    amount: cents(1 + index),
    mandate: { reference: `MND-${id}`, signedOn: "2026-01-31", amendment: null },
    debtor: {
      name: `${NAMES[index % NAMES.length]} ${id}`,
      iban: IBANS[index % IBANS.length] ?? "",
      bic: null,
      address: null,
    },
    remittance: `Order ${id}, Example Shop`,
  };
}

function report(what: string, since: bigint): void {
  const seconds = Number(process.hrtime.bigint() - since) / 1e9;
  const { maxRSS, userCPUTime } = process.resourceUsage();
  const cpu = Math.round(userCPUTime / 10_000) / 100;
  const time = `${Math.round(seconds * 100) / 100} s (${cpu} s of CPU since the start)`;
  process.stdout.write(`${what} in ${time}, at most ${Math.round(maxRSS / 1024)} MB\n`);
}
