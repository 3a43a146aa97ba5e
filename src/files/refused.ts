/** The error for a bank file that cannot be read, with a code for programs and a sentence for people. */

/** Every reason to refuse a whole file, and what the person who delivered it can do. */
const ADVICE = {
  empty: "Ask the bank for the file again.",
  not_xml:
    "Only XML files (camt.052, camt.053, camt.054, pain.002) are read; ask the bank for one of these instead of MT940, CSV or PDF.",
  not_well_formed:
    "Fetch the file from the bank again, unchanged; if it stays broken, report it to the bank.",
  truncated: "The file is incomplete; fetch it from the bank again.",
  bad_encoding:
    "Fetch the file from the bank again without converting it; its encoding does not match its XML declaration.",
  unknown_encoding: "Ask the bank for the file in UTF-8.",
  doctype:
    "Bank files have no document type and define no entities; ask the sender where this file comes from.",
  entity:
    "Bank files have no document type and define no entities; ask the sender where this file comes from.",
  too_deep: "This is not a bank file; ask the sender where it comes from.",
  too_long: "This is not a bank file; ask the sender where it comes from.",
  unknown_message:
    "Accepted are camt.052, camt.053 and camt.054 (.001.02 to .13) and pain.002 (.001.03 to .14).",
  no_header: "The message has no group header (GrpHdr); ask the bank for the file again.",
  no_content: "The message has a header and no content; ask the bank for the file again.",
  out_of_order: "The elements are not in the order of the schema; report it to the bank.",
  another_account:
    "Upload it to the gateway of its account: the one whose creditor_iban is the statement's IBAN.",
  zip_damaged: "Fetch the archive from the bank again.",
  zip_empty: "Ask the bank for it again.",
  zip_encrypted: "Upload the archive without a password.",
  zip_nested: "Download this archive, unpack it and the ones in it, and upload the files themselves.",
  zip_path: "This is not an archive from a bank; ask the sender where it comes from.",
  zip_too_many: "Upload the files in several archives.",
  zip_too_large: "Upload the files in several archives.",
  zip_bomb: "This is not an archive from a bank; ask the sender where it comes from.",
} as const;

export type BankFileRefusal = keyof typeof ADVICE;

/** The file is refused. `code` is for programs; the message says what is wrong and what to do. */
export class BankFileRefused extends Error {
  readonly code: BankFileRefusal;
  /** What is wrong, without the advice. */
  readonly what: string;

  /** @param what What is wrong, as a sentence without its full stop. */
  constructor(code: BankFileRefusal, what: string, options?: ErrorOptions) {
    super(`${what}. ${ADVICE[code]}`, options);
    this.name = "BankFileRefused";
    this.code = code;
    this.what = what;
  }
}
