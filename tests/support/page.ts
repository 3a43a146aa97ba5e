/** Uses the payment page like a browser without scripts: reads forms, sends them, follows redirects. */
import assert from "node:assert/strict";
import type { CallOptions, Response, Service } from "./service.ts";

/** The default language of the customers. */
const ENGLISH = { "accept-language": "en" };

export interface Page extends Response {
  /** The page's state as its script receives it. */
  readonly state: string;
  /** The text, without markup. */
  readonly words: string;
}

export async function openPage(service: Service, path: string, options: CallOptions = {}): Promise<Page> {
  return pageOf(await service.get(path, { headers: ENGLISH, ...options }));
}

export function pathOf(token: string): string {
  return `/pay/${token}/`;
}

export interface FormFields {
  readonly iban?: string;
  readonly holder?: string;
  readonly accepted?: string;
  readonly again?: string;
  readonly street?: string;
  readonly postalCode?: string;
  readonly city?: string;
  readonly reference?: string;
}

/** The hidden field of the form for another account that identifies the mandate's text; empty if there is no form. */
export function textShown(form: Pick<Response, "text">): string {
  return /name="text"\s+value="([^"]+)"/.exec(form.text)?.[1] ?? "";
}

/** Fills the form of a page and sends it. @returns the response. */
export async function sendForm(
  service: Service,
  token: string,
  fields: FormFields,
  options: CallOptions = {},
): Promise<Page> {
  const reference = fields.reference ?? referenceOf(await openPage(service, pathOf(token)));
  const given = { holder: "Ada Example", accepted: "yes", ...fields, reference };
  const body = new URLSearchParams(
    Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  ).toString();
  const headers = { ...ENGLISH, "content-type": "application/x-www-form-urlencoded", ...options.headers };
  return pageOf(await service.post(pathOf(token), body, { ...options, headers }));
}

/** Sends the form and follows redirects to the next page. */
export async function payOnPage(service: Service, token: string, fields: FormFields): Promise<Page> {
  const sent = await sendForm(service, token, fields);
  assert.equal(sent.status, 303, sent.words);
  return openPage(service, String(sent.headers["location"]));
}

/** The mandate reference in the form of a page. */
export function referenceOf(page: Page): string {
  const reference = /name="reference"\s+value="([^"]+)"/.exec(page.text)?.[1];
  assert.ok(reference, `a form with a reference: ${page.status} ${page.words}`);
  return reference;
}

function pageOf(response: Response): Page {
  const state = /<main data-state="([^"]*)"/.exec(response.text)?.[1] ?? "";
  return { ...response, state, words: textOf(response.text) };
}

/** The text of a page, without markup. */
export function textOf(markup: string): string {
  return markup
    .replace(/<style[^]*?<\/style>|<select[^]*?<\/select>|<head>[^]*?<\/head>/g, " ")
    .replace(/<[^>]+>/g, " ")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, " ")
    .trim();
}
