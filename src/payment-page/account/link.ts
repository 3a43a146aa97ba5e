/** The address of a customer's account page: a short-lived credential that the merchant passes on. */
import type { Deps } from "../../deps.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { readShortLivedAddress, shortLivedAddress, type AddressKind } from "../../tenants/signed-address.ts";

interface AccountAddress {
  readonly tenant: number;
  /** The lead's id. */
  readonly id: string;
  readonly expiresAt: Date;
}

const KIND: AddressKind = { prefix: "ca_", purpose: "customer-account" };

export function accountUrl(
  { keys, publicUrl }: Pick<Deps, "keys" | "publicUrl">,
  address: AccountAddress,
): string {
  return `${publicUrl}/pay/account/${shortLivedAddress(keys, KIND, address)}/`;
}

/** Reads a token; null if this service did not issue it. The caller checks whether it has expired. */
export function readAccountToken(keys: Keyring, token: string): AccountAddress | null {
  return readShortLivedAddress(keys, KIND, token);
}
