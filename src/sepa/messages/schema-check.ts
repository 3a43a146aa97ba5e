/** The only use of the schema checker: libxml2's xmllint as WebAssembly. */
import { memoryPages, validateXML } from "xmllint-wasm";

/**
 * xmllint's own limit is 32 MB; with a file of 100,000 collections (47 MB) the whole process used 700 MB. Allocated
 * only as used.
 */
const MEMORY_PAGES_MAX = memoryPages.GiB;

/**
 * The document's violations of the schema; empty if it is valid. The schema must be self-contained, as those of ISO
 * 20022 are.
 */
export async function checkAgainstSchema(xml: string, xsd: string): Promise<readonly string[]> {
  const { valid, errors, rawOutput } = await validateXML({
    xml: { fileName: "message.xml", contents: xml },
    schema: { fileName: "message.xsd", contents: xsd },
    maxMemoryPages: MEMORY_PAGES_MAX,
    // Messages reference no other documents; if one does, nothing is fetched.
    modifyArguments: (args) => ["--nonet", ...args],
  });
  if (valid) return [];
  return errors.length === 0 ? [rawOutput] : errors.map(sentenceOf);
}

function sentenceOf({ message, loc }: { message: string; loc: { lineNumber: number } | null }): string {
  return loc === null ? message : `line ${loc.lineNumber}: ${message}`;
}
