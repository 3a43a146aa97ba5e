// Verifies a webhook in TypeScript or JavaScript (Node 22 or newer, no packages).
// Try it: SECRET=… SIGNATURE=… node verify.ts < body
import { createHmac, timingSafeEqual } from "node:crypto";

/** `body` is the request's raw bytes; `signatures` are X-Service-Signature and, when present, X-Service-Signature-Previous. */
export function isFromPaymentService(
  secret: string,
  body: Uint8Array,
  signatures: readonly (string | undefined)[],
): boolean {
  const expected = createHmac("sha256", secret).update(body).digest();
  return signatures.some((signature) => {
    const given = Buffer.from(signature ?? "", "hex");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

if (process.argv[1] === import.meta.filename) {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const { SECRET = "", SIGNATURE = "" } = process.env;
  const genuine = isFromPaymentService(SECRET, Buffer.concat(chunks), [SIGNATURE]);
  console.log(genuine ? "genuine" : "not genuine");
  process.exitCode = genuine ? 0 : 1;
}
