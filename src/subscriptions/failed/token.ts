/** The token in the address at which a customer repeats a failed payment: a credential that only they receive. */
import type { Deps } from "../../deps.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { readSignedAddress, signedAddress, type AddressKind } from "../../tenants/signed-address.ts";

interface FailedAddress {
  readonly tenant: number;
  /** Of the failed attempt. */
  readonly id: string;
}

const KIND: AddressKind = { prefix: "pf_", purpose: "failed-payment" };

export function failedPaymentUrl(
  { keys, publicUrl }: Pick<Deps, "keys" | "publicUrl">,
  address: FailedAddress,
): string {
  return `${publicUrl}/pay/failed/${signedAddress(keys, KIND, keys.currentKeyId, address)}/`;
}

/** Null for anything that this service did not issue. */
export function readFailedToken(keys: Keyring, token: string): FailedAddress | null {
  return readSignedAddress(keys, KIND, token);
}
