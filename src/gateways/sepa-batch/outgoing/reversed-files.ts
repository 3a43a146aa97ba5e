/** Reads the debits of reversals as the bank has them, from the files in which they were sent. */
import type { Reader } from "../../../db/database.ts";
import type { Deps } from "../../../deps.ts";
import { must } from "../../../lib/assert.ts";
import {
  readSentFile,
  type SentBlock,
  type SentFile,
  type SentOrder,
} from "../../../sepa/messages/reading/sent-file.ts";
import { contentOf, findContent } from "../files-store.ts";
import { unpack } from "../pack.ts";
import type { Instruction } from "./instructions.ts";

/** A file of debits, and which of them are reversed. */
export interface ReversedFile {
  readonly sent: Pick<SentFile, "messageId" | "schema">;
  readonly all: readonly Instruction[];
  readonly blocks: readonly {
    readonly original: SentBlock;
    readonly reversals: readonly { readonly one: Instruction; readonly debit: SentOrder }[];
  }[];
}

/**
 * One entry for each file in which these debits were sent. Reversals of a file that cannot be read are left out and
 * keep waiting: the error is ours and can be fixed.
 */
export async function reversedFiles(
  deps: Pick<Deps, "keys" | "log">,
  db: Reader,
  tenant: number,
  reversals: readonly Instruction[],
): Promise<readonly ReversedFile[]> {
  const files: ReversedFile[] = [];
  for (const [id, all] of Map.groupBy(reversals, ({ row }) => row.debit_file)) {
    try {
      // Without a file no statement may run: one that fails would end the caller's transaction.
      const file = must(id, "the file of a settled debit");
      files.push(reversedFile(await sentFile(deps, db, tenant, file), all));
    } catch (error) {
      deps.log.error("the file of debits to be reversed cannot be read", error, { file_id: id });
    }
  }
  return files;
}

async function sentFile(
  { keys }: Pick<Deps, "keys">,
  db: Reader,
  tenant: number,
  id: string,
): Promise<SentFile> {
  const { content } = must(await findContent(db, tenant, id), "the file of a settled debit");
  return readSentFile(unpack(keys, tenant, id, contentOf(db, tenant, id, content)));
}

function reversedFile(sent: SentFile, all: readonly Instruction[]): ReversedFile {
  const byDebit = new Map(all.map((one) => [one.row.refund_of, one]));
  const blocks = sent.blocks.map((original) => ({
    original,
    reversals: original.orders.flatMap((debit) => {
      const one = byDebit.get(debit.endToEndId);
      return one === undefined ? [] : [{ one, debit }];
    }),
  }));
  const found = blocks.reduce((count, { reversals }) => count + reversals.length, 0);
  if (found !== all.length) throw new Error("A debit is not in the file that it was sent in");
  return { sent, all, blocks: blocks.filter(({ reversals }) => reversals.length > 0) };
}
