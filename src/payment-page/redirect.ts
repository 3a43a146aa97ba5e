/** The address to which a customer is redirected after the page: only one stored in the merchant's settings. Pure. */
import type { PageSettings } from "./store.ts";

type Redirects = Pick<PageSettings, "success_redirect_url" | "failure_redirect_url" | "cancel_redirect_url">;

/** The session's own address, else its page's. */
export function storedUrl(
  row: Redirects & { readonly page: Redirects | null },
  name: keyof Redirects,
): string | null {
  return row[name] ?? row.page?.[name] ?? null;
}

/**
 * The stored address with the parameters appended; null without an address. It was checked to be https when it was
 * saved.
 */
export function redirectUrl(
  stored: string | null,
  parameters: Readonly<Record<string, string>>,
): string | null {
  if (stored === null || !URL.canParse(stored)) return null;
  const url = new URL(stored);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
