/** A multipart form with a file, as a browser or curl sends it. */

export interface Form {
  readonly body: Buffer;
  readonly headers: { readonly "content-type": string };
}

export function uploadForm(
  file: string | Uint8Array,
  { name = "file.csv", fields = {} }: { name?: string; fields?: Readonly<Record<string, string>> } = {},
): Form {
  const boundary = "----test-boundary";
  const parts = Object.entries(fields).map(
    ([field, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(parts.join("") + head),
    Buffer.from(file),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, headers: { "content-type": `multipart/form-data; boundary=${boundary}` } };
}
