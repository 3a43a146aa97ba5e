/** The only door to the schema checker: libxml2's xmllint as WebAssembly. */
import { memoryPages, validateXML } from "xmllint-wasm";

/** Its own limit is 32 MB; with a file of 100,000 collections (47 MB) the whole process was measured at 700 MB. Taken only as used. */
const MEMORY_PAGES_MAX = memoryPages.GiB;

/** What the schema has against the document: nothing, when it is valid. The schema must stand alone, as those of ISO 20022 do. */
export async function checkAgainstSchema(xml: string, xsd: string): Promise<readonly string[]> {
  const { valid, errors, rawOutput } = await validateXML({
    xml: { fileName: "message.xml", contents: xml },
    schema: { fileName: "message.xsd", contents: xsd },
    maxMemoryPages: MEMORY_PAGES_MAX,
    // A message names no other document, and if it does we fetch none.
    modifyArguments: (args) => ["--nonet", ...args],
  });
  if (valid) return [];
  return errors.length === 0 ? [rawOutput] : errors.map(sentenceOf);
}

function sentenceOf({ message, loc }: { message: string; loc: { lineNumber: number } | null }): string {
  return loc === null ? message : `line ${loc.lineNumber}: ${message}`;
}
