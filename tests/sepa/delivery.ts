/** A bank's delivery: one file or an archive of several, recognised by its content and not by its name. */
import { filesInZip, isZip, type Archive } from "../../src/files/zip-reader.ts";
import type { BankRecord } from "../../src/sepa/messages/reading/bank-records.ts";
import { readBankFile } from "../../src/sepa/messages/reading/read-bank-file.ts";

/** One file of a delivery. Its records have to be read before the next file is requested. */
export interface DeliveredFile {
  /** In an archive, the name of the file inside. */
  readonly name: string;
  readonly records: AsyncGenerator<BankRecord>;
}

/**
 * The files of a delivery. @throws BankFileRefused for an archive that is not accepted. Reading a file's records throws
 * the file's own refusal.
 */
export async function* openDelivery(name: string, bytes: Uint8Array): AsyncGenerator<DeliveredFile> {
  if (!isZip(bytes)) {
    yield { name, records: readBankFile(whole(bytes)) };
    return;
  }
  for await (const file of filesInZip(archiveOf(bytes)))
    yield { name: file.name, records: readBankFile(file.bytes) };
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function archiveOf(bytes: Uint8Array): Archive {
  return {
    size: bytes.length,
    async *read(from, until) {
      yield bytes.subarray(from, until);
    },
  };
}
