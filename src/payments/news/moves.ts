/** The moves of a transaction on a late notice: the table of docs/states.md. Nothing moves backwards (contract: Late news). Pure. */

type Notice = "settled" | "returned" | "charged_back" | "reinstated";

/**
 * settle: the money is there · fail: it never came · charge_back: it was there and is gone · reinstate: it is there
 * after all, which only a person says · stay: known already, or
 * overtaken · contradiction: money moved in a way that the record excludes, so a person has to look.
 */
type Move = "settle" | "fail" | "charge_back" | "reinstate" | "stay" | "contradiction";

/** Statuses whose end is not open: a notice about another one has to come again. */
type KnownStatus = "pending" | "approved" | "declined" | "refunded" | "charged_back";

type Moves = Readonly<Record<KnownStatus, Move>>;

const PAYMENT_MOVES: Readonly<Record<Notice, Moves>> = {
  settled: {
    pending: "settle",
    approved: "stay",
    declined: "contradiction",
    refunded: "stay",
    charged_back: "stay",
  },
  returned: {
    pending: "fail",
    approved: "charge_back",
    declined: "stay",
    refunded: "charge_back",
    charged_back: "stay",
  },
  charged_back: {
    pending: "charge_back",
    approved: "charge_back",
    declined: "contradiction",
    refunded: "charge_back",
    charged_back: "stay",
  },
  reinstated: {
    pending: "settle",
    approved: "stay",
    declined: "reinstate",
    refunded: "stay",
    charged_back: "reinstate",
  },
};

/** A refund is never refunded or charged back itself. */
const REFUND_MOVES: Readonly<Record<Notice, Moves>> = {
  settled: {
    pending: "settle",
    approved: "stay",
    declined: "contradiction",
    refunded: "contradiction",
    charged_back: "contradiction",
  },
  returned: {
    pending: "fail",
    approved: "contradiction",
    declined: "stay",
    refunded: "contradiction",
    charged_back: "contradiction",
  },
  charged_back: {
    pending: "contradiction",
    approved: "contradiction",
    declined: "contradiction",
    refunded: "contradiction",
    charged_back: "contradiction",
  },
  reinstated: {
    pending: "contradiction",
    approved: "contradiction",
    declined: "contradiction",
    refunded: "contradiction",
    charged_back: "contradiction",
  },
};

/** The status whose end is known; null while it is open. */
export function knownStatus(status: string): KnownStatus | null {
  switch (status) {
    case "pending":
    case "approved":
    case "declined":
    case "refunded":
    case "charged_back":
      return status;
    default:
      return null;
  }
}

/** @param type the transaction's. */
export function moveOf(type: string, status: KnownStatus, notice: Notice): Move {
  return (type === "sdd_refund" ? REFUND_MOVES : PAYMENT_MOVES)[notice][status];
}
