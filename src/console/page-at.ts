/** Finds the page that belongs to an address of the console. Pure. */

/**
 * The page at an address. A refused form is shown again at the address to which it was sent, which has no page of its
 * own: for `/console/payments/{id}/refund/` the page is the payment's with the dialog open, which records' pages open
 * by `act`. If there is no such page, it is the first page.
 * @param pages the declared paths, with names for the variable parts: `/console/payments/{id}/`.
 * @param search with its question mark, or empty.
 */
export function pageAt(pages: readonly string[], path: string, search: string): string {
  if (!path.startsWith("/console/")) return "/console/";
  if (pages.some((page) => isAt(page, path))) return path + search;
  const parts = path.split("/").slice(0, -1);
  const act = parts.pop() ?? "";
  for (let depth = parts.length; depth > 1; depth -= 1) {
    const above = `${parts.slice(0, depth).join("/")}/`;
    const page = pages.find((one) => isAt(one, above));
    if (page === undefined) continue;
    const isOfTheRecord = page.endsWith("}/") && depth === parts.length;
    return isOfTheRecord ? `${above}?act=${encodeURIComponent(act)}` : above;
  }
  return "/console/";
}

function isAt(page: string, path: string): boolean {
  const [names, parts] = [page.split("/"), path.split("/")];
  return names.length === parts.length && names.every((name, n) => name.startsWith("{") || name === parts[n]);
}
