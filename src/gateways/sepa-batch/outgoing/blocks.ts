/**
 * Groups instructions into files and blocks: a file has one scheme, because banks process the two separately; a block
 * has one creditor and one sequence type. Pure.
 */
import type { SepaSettings } from "../settings.ts";
import type { Scheme } from "../../../mandates/creditor.ts";
import { checkCreditorIdentifier } from "../../../sepa/creditor-identifier.ts";
import type { CreditorIdentity, SequenceType } from "../../../sepa/messages/direct-debit-file.ts";
import { hasLetter, toSepaText } from "../../../sepa/messages/text.ts";
import type { Instruction } from "./instructions.ts";
import type { WaitingRow } from "./store.ts";

/** The blocks of one due date; each instruction is in one block. */
export interface Block {
  readonly sequenceType: SequenceType;
  readonly creditor: CreditorIdentity;
  readonly instructions: readonly Instruction[];
}

export interface PlannedFile {
  readonly scheme: Scheme;
  readonly blocks: readonly Block[];
}

type Limits = Pick<
  SepaSettings,
  "maxTransactionsPerBlock" | "maxBlocksPerFile" | "scheme" | "creditorName" | "creditorIdentifier"
>;

/** Plans blocks within the account's limits, and files with no more blocks than the bank accepts. */
export function plannedFiles(settings: Limits, all: readonly Instruction[]): readonly PlannedFile[] {
  return (["CORE", "B2B"] as const).flatMap((scheme) => {
    const ofScheme = all.filter(({ row }) => schemeOf(settings, row) === scheme);
    const blocks = (["FRST", "RCUR", "OOFF"] as const).flatMap((sequenceType) =>
      blocksOf(
        settings,
        sequenceType,
        ofScheme.filter((one) => one.sequenceType === sequenceType),
      ),
    );
    return pieces(blocks, settings.maxBlocksPerFile).map((piece) => ({ scheme, blocks: piece }));
  });
}

function blocksOf(
  settings: Limits,
  sequenceType: Block["sequenceType"],
  all: readonly Instruction[],
): readonly Block[] {
  const byCreditor = Map.groupBy(all, ({ row }) => {
    const { identifier, name } = creditorOf(settings, row);
    return `${identifier} ${name}`;
  });
  return [...byCreditor.values()].flatMap((group) =>
    pieces(group, settings.maxTransactionsPerBlock).map((piece) => ({
      sequenceType,
      creditor: creditorOf(settings, piece[0]?.row),
      instructions: piece,
    })),
  );
}

/** The mandate's scheme: a CORE mandate is never debited as B2B, whatever the account's current settings. */
function schemeOf({ scheme }: Limits, row: WaitingRow): Scheme {
  return row.refund_of === null ? (row.scheme ?? scheme) : scheme;
}

/** The mandate's creditor. The account's own for transfers, and where the mandate has none that a bank can read. */
function creditorOf(settings: Limits, row: WaitingRow | undefined): CreditorIdentity {
  const own = { name: settings.creditorName, identifier: settings.creditorIdentifier };
  if (row === undefined || row.refund_of !== null) return own;
  const checked = checkCreditorIdentifier(row.creditor_identifier ?? "");
  if (!checked.valid) return own;
  const name = row.creditor_name ?? "";
  return { name: hasLetter(toSepaText(name)) ? name : own.name, identifier: checked.identifier };
}

function pieces<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}
