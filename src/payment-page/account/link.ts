/** The address of a customer's account page: a credential that its merchant passes on, good for a while. */
import type { Deps } from "../../deps.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { readShortLivedAddress, shortLivedAddress, type AddressKind } from "../../tenants/signed-address.ts";

interface AccountAddress {
  readonly tenant: number;
  /** Of the lead. */
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

/** Null for anything that this service did not issue; the caller checks whether its time is over. */
export function readAccountToken(keys: Keyring, token: string): AccountAddress | null {
  return readShortLivedAddress(keys, KIND, token);
}
