/** Free-form JSON objects, limited only in size. The request parser refuses what the database cannot store. */

const DICTIONARY_BYTES_MAX = 20_000;

/** The problem of the object; null if it is valid. */
export function dictionaryProblem(value: unknown): string | null {
  if (Buffer.byteLength(JSON.stringify(value)) <= DICTIONARY_BYTES_MAX) return null;
  return `This object must not take more than ${DICTIONARY_BYTES_MAX} bytes as JSON.`;
}
