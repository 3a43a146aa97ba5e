/** Valid multipart/form-data with one file. */

const BOUNDARY = "----fuzz-boundary";

export function formBody(
  fields: Readonly<Record<string, string>>,
  file: Buffer | null,
  fileName: string,
): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  if (file === null) return Buffer.from(`${parts.join("")}--${BOUNDARY}--\r\n`);
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: text/csv\r\n\r\n`;
  return Buffer.concat([Buffer.from(parts.join("") + head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

formBody.type = `multipart/form-data; boundary=${BOUNDARY}`;
