/** What to do for every return code of EBICS, in one table: repeat, not accepted, or unknown whether accepted. */

/**
 * - `good`: go on; `empty`: there is nothing to download; `recover`: the bank names the segment to go on after.
 * - `repeat`: not accepted, and may be sent again without a person.
 * - `refused`: this order was not accepted, and would not be if it were repeated: a person looks into it.
 * - `stopped`: nothing of this user is accepted, and repeating may have the bank lock the user: everything waits for a person.
 * - `unknown`: the bank may have the whole order. It is not sent again until the bank's protocol says that it has not.
 */
export type Verdict = "good" | "empty" | "recover" | "repeat" | "refused" | "stopped" | "unknown";

type Line = readonly [symbol: string, verdict: Verdict, atTheLastSegment?: Verdict];

/** A third entry for codes that mean something else as the answer to the last segment of an upload. */
const CODES: Readonly<Record<string, Line>> = {
  "000000": ["EBICS_OK", "good"],
  "011000": ["EBICS_DOWNLOAD_POSTPROCESS_DONE", "good", "unknown"],
  "011001": ["EBICS_DOWNLOAD_POSTPROCESS_SKIPPED", "good", "unknown"],
  "011101": ["EBICS_TX_SEGMENT_NUMBER_UNDERRUN", "refused"],
  "011301": ["EBICS_NO_ONLINE_CHECKS", "good"],
  "031001": ["EBICS_ORDER_PARAMS_IGNORED", "good"],
  "061001": ["EBICS_AUTHENTICATION_FAILED", "stopped"],
  "061002": ["EBICS_INVALID_REQUEST", "refused"],
  "061011": ["EBICS_INVALID_HOST_ID", "stopped"],
  "061099": ["EBICS_INTERNAL_ERROR", "repeat", "unknown"],
  "061101": ["EBICS_TX_RECOVERY_SYNC", "recover"],
  "091001": ["EBICS_DOWNLOAD_SIGNED_ONLY", "refused"],
  "091002": ["EBICS_INVALID_USER_OR_USER_STATE", "stopped"],
  "091003": ["EBICS_USER_UNKNOWN", "stopped"],
  "091004": ["EBICS_INVALID_USER_STATE", "stopped"],
  "091005": ["EBICS_INVALID_ORDER_TYPE", "refused"],
  "091006": ["EBICS_UNSUPPORTED_ORDER_TYPE", "refused"],
  "091007": ["EBICS_DISTRIBUTED_SIGNATURE_AUTHORISATION_FAILED", "refused"],
  "091008": ["EBICS_BANK_PUBKEY_UPDATE_REQUIRED", "stopped"],
  "091009": ["EBICS_SEGMENT_SIZE_EXCEEDED", "refused"],
  "091010": ["EBICS_INVALID_XML", "refused"],
  "091011": ["EBICS_INVALID_HOST_ID", "stopped"],
  "091101": ["EBICS_TX_UNKNOWN_TXID", "repeat", "unknown"],
  "091102": ["EBICS_TX_ABORT", "repeat", "unknown"],
  "091103": ["EBICS_TX_MESSAGE_REPLAY", "repeat", "unknown"],
  "091104": ["EBICS_TX_SEGMENT_NUMBER_EXCEEDED", "refused"],
  "091105": ["EBICS_RECOVERY_NOT_SUPPORTED", "repeat", "unknown"],
  "091111": ["EBICS_INVALID_SIGNATURE_FILE_FORMAT", "refused"],
  "091112": ["EBICS_INVALID_ORDER_PARAMS", "refused"],
  "091113": ["EBICS_INVALID_REQUEST_CONTENT", "refused"],
  "091114": ["EBICS_ORDERID_UNKNOWN", "refused"],
  "091115": ["EBICS_ORDERID_ALREADY_EXISTS", "refused"],
  "091116": ["EBICS_PROCESSING_ERROR", "repeat", "unknown"],
  "091117": ["EBICS_MAX_ORDER_DATA_SIZE_EXCEEDED", "refused"],
  "091118": ["EBICS_MAX_SEGMENTS_EXCEEDED", "refused"],
  "091119": ["EBICS_MAX_TRANSACTIONS_EXCEEDED", "repeat"],
  "091120": ["EBICS_PARTNER_ID_MISMATCH", "refused"],
  "091121": ["EBICS_INCOMPATIBLE_ORDER_ATTRIBUTE", "refused"],
  "090003": ["EBICS_AUTHORISATION_ORDER_IDENTIFIER_FAILED", "refused"],
  "090004": ["EBICS_INVALID_ORDER_DATA_FORMAT", "refused"],
  "090005": ["EBICS_NO_DOWNLOAD_DATA_AVAILABLE", "empty", "unknown"],
  "090006": ["EBICS_UNSUPPORTED_REQUEST_FOR_ORDER_INSTANCE", "refused"],
  "091201": ["EBICS_KEYMGMT_UNSUPPORTED_VERSION_SIGNATURE", "refused"],
  "091202": ["EBICS_KEYMGMT_UNSUPPORTED_VERSION_AUTHENTICATION", "refused"],
  "091203": ["EBICS_KEYMGMT_UNSUPPORTED_VERSION_ENCRYPTION", "refused"],
  "091204": ["EBICS_KEYMGMT_KEYLENGTH_ERROR_SIGNATURE", "refused"],
  "091205": ["EBICS_KEYMGMT_KEYLENGTH_ERROR_AUTHENTICATION", "refused"],
  "091206": ["EBICS_KEYMGMT_KEYLENGTH_ERROR_ENCRYPTION", "refused"],
  "091207": ["EBICS_KEYMGMT_NO_X509_SUPPORT", "refused"],
  "091208": ["EBICS_X509_CERTIFICATE_EXPIRED", "stopped"],
  "091209": ["EBICS_X509_CERTIFICATE_NOT_VALID_YET", "stopped"],
  "091210": ["EBICS_X509_WRONG_KEY_USAGE", "stopped"],
  "091211": ["EBICS_X509_WRONG_ALGORITHM", "stopped"],
  "091212": ["EBICS_X509_INVALID_THUMBPRINT", "stopped"],
  "091213": ["EBICS_X509_CTL_INVALID", "stopped"],
  "091214": ["EBICS_X509_UNKNOWN_CERTIFICATE_AUTHORITY", "stopped"],
  "091215": ["EBICS_X509_INVALID_POLICY", "stopped"],
  "091216": ["EBICS_X509_INVALID_BASIC_CONSTRAINTS", "stopped"],
  "091217": ["EBICS_ONLY_X509_SUPPORT", "refused"],
  "091218": ["EBICS_KEYMGMT_DUPLICATE_KEY", "refused"],
  "091219": ["EBICS_CERTIFICATES_VALIDATION_ERROR", "stopped"],
  "091301": ["EBICS_SIGNATURE_VERIFICATION_FAILED", "stopped"],
  "091302": ["EBICS_ACCOUNT_AUTHORISATION_FAILED", "refused"],
  "091303": ["EBICS_AMOUNT_CHECK_FAILED", "refused"],
  "091304": ["EBICS_SIGNER_UNKNOWN", "stopped"],
  "091305": ["EBICS_INVALID_SIGNER_STATE", "stopped"],
  "091306": ["EBICS_DUPLICATE_SIGNATURE", "refused"],
};

/**
 * What to do for a code.
 * @param last whether it answers the last segment of an upload.
 */
export function verdictOf(code: string, last = false): Verdict {
  const line = CODES[code];
  if (line !== undefined) return (last ? line[2] : undefined) ?? line[1];
  // The first two digits are the class: good, note, warning, error.
  if (/^0[013]/.test(code)) return last && code !== "000000" ? "unknown" : "good";
  return last ? "unknown" : "refused";
}

/** The code with its name, for people. */
export function describeCode(code: string): string {
  return `${code} ${CODES[code]?.[0] ?? "(unknown to us)"}`;
}

/** The bank refused a request. */
export class BankRefused extends Error {
  readonly code: string;
  readonly verdict: Verdict;
  /** Whether it is a known EBICS code. */
  readonly known: boolean;

  /** @param what the request to the bank. */
  constructor(what: string, code: string) {
    super(`${what}: ${describeCode(code)}`);
    this.name = "BankRefused";
    this.code = code;
    this.verdict = verdictOf(code);
    this.known = CODES[code] !== undefined;
  }
}

/** The deciding one of an answer's technical and business codes. */
export function decidingCode(technical: string, business: string): string {
  if (verdictOf(technical) !== "good") return technical;
  return verdictOf(business) === "good" && technical !== "000000" ? technical : business;
}
