/** Whether a client accepts compressed responses. */

/**
 * Whether a client accepts gzip.
 * @param header Accept-Encoding (RFC 9110, 12.5.3).
 */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(header ?? ""));
}
