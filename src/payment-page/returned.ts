/** Handles the customer's return from the bank: fetches the outcome of the verification. */
import { FieldErrors, Refusal } from "../refusals.ts";
import { verify, type VerifyParts } from "../sessions/verify.ts";

interface ReturnInput {
  readonly tenant: number;
  readonly sessionId: string;
  /** From the return URL; null if the customer returned without it. */
  readonly verificationId: string | null;
}

/**
 * Whether the verification has ended.
 * @throws Refusal not_found, unavailable.
 */
export async function finishVerification(deps: VerifyParts, input: ReturnInput): Promise<boolean> {
  try {
    const { status } = await verify(deps, input);
    return status !== "awaiting_verification";
  } catch (error) {
    // Another worker is fetching the outcome, or already has it: the page shows the current state.
    if (error instanceof Refusal && (error.status === 409 || error.status === 410)) return true;
    if (error instanceof FieldErrors) return false;
    throw error;
  }
}
