/** The customer's address as passed to gateways. Pure. */
import type { Collection } from "../gateways/gateway.ts";

/** Null when the customer gave nothing but a country. */
export function addressOf(lead: {
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly country: string;
}): Collection["address"] {
  const { address: street, postal_code: postalCode, city, country } = lead;
  if (street === null && postalCode === null && city === null) return null;
  return { street, postalCode, city, country };
}
