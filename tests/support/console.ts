/** For tests of the console's pages: makes a payment, and reads a page's text. */
import assert from "node:assert/strict";
import { IBAN, lead } from "./merchant.ts";
import type { Json, Response, Service } from "./service.ts";

/** An id that does not exist. */
export const UNKNOWN = "018f0000-0000-7000-8000-000000000000";

/**
 * Pays a session of a new customer. @param changes changes of the session, which by default is the first payment of a
 * monthly subscription. @returns the response's body.
 */
export async function paidAt(
  service: Service,
  key: string,
  gateway: string,
  changes: Readonly<Record<string, unknown>> = {},
  iban: string = IBAN.approved,
): Promise<Json> {
  const session = {
    lead: lead(),
    gateway_id: gateway,
    amount: "19.90",
    currency: "EUR",
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    ...changes,
  };
  const { body } = await service.post("payment-sessions/", session, { key });
  const paid = await service.post(
    `payment-sessions/${body["session_token"]}/pay/`,
    { iban, iban_holder_name: "Ada Example", mandate_acceptance: { accepted: true } },
    { key },
  );
  assert.ok(paid.body["transaction"], paid.text);
  return paid.body;
}

/** The text of a page, without markup. A place where a line may break counts as no space. */
export function wordsOf({ text }: Response): string {
  return text
    .replace(/(?:<\/span>)?<wbr[^>]*>(?:<span[^>]*>)?/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, " ");
}

/** The fields that a browser sends for the forms of a page's main part when nothing is entered. */
export function shownFields({ text }: Response): Record<string, string> {
  const main = text.slice(text.indexOf("<main"));
  const of = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  const sent: Record<string, string> = {};
  for (const [tag] of main.matchAll(/<input\s[^>]*>/g)) {
    const isOff = of(tag, "type") === "checkbox" && !/\schecked/.test(tag);
    if (!isOff) sent[of(tag, "name") ?? ""] = of(tag, "value") ?? "";
  }
  for (const [, tag = "", value = ""] of main.matchAll(/(<textarea\s[^>]*>)\s*([^<]*)/g))
    sent[of(tag, "name") ?? ""] = value;
  for (const [, tag = "", options = ""] of main.matchAll(/(<select\s[^>]*>)([^]*?)<\/select>/g)) {
    const all = [...options.matchAll(/<option[^>]*>/g)].map(([option]) => option);
    sent[of(tag, "name") ?? ""] =
      of(all.find((one) => /\sselected/.test(one)) ?? all[0] ?? "", "value") ?? "";
  }
  const read = (value: string) =>
    value.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, read(value)]));
}
