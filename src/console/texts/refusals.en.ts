/** What the service refuses, in the words of the console's forms where the API's name its own fields. */
import type { RefusalTexts } from "./refusals.ts";

export const refusals: RefusalTexts = {
  refusals: null,
  faults: {
    "This field is required without {field}.": "This field is required without “{field}”.",
    "Must be a valid UUID.": "Choose one.",
    "This field is required with TRIAL_RECURRING.": "A trial needs this field.",
    "Needs a billing_frequency of months.": "Only for a frequency of months.",
    "Only with amount_min.": "Only with a minimum amount.",
    "Not with amount: it is fixed.": "Not with a fixed amount.",
    "Must not be below amount_min.": "Must not be below the minimum amount.",
    "Must be between amount_min and amount_max.": "Must be between the minimum and the maximum amount.",
    "Give amount, or amount_min for an amount that the customer chooses.":
      "Enter an amount, or a minimum amount if the customer chooses it.",
    "A mandate of this customer must be kept as evidence until {day}, {months} months after its last collection. Send give_up_evidence: true to erase it anyway.":
      "A mandate of this customer must be kept as evidence until {day}. Tick the box to erase it all the same.",
    "This customer has paid the same amount in the last 24 hours. Send confirm_duplicate: true to pay it again.":
      "This customer has paid the same amount within 24 hours.",
    "{why} It has been downloaded: if it was given to the bank, mark it as sent; if not, take it back with withdraw/.":
      "{why} It has been downloaded: if it was given to the bank, mark it as sent; if not, take it back.",
    "It reverses a return: use the action reinstate.":
      "It reverses a return: choose “The money is back” instead.",
    "It does not concern a single transaction: use the action reject, or dismiss it.":
      "It does not concern a single payment: choose “The bank has rejected the rest”, or dismiss it.",
    "This collection had ended without its money: use the action reinstate if the money is for it.":
      "This collection had ended without its money: choose “The money is back” if the money is for it.",
    "The bank booked {booked} with a fee of {fee}, but {asked} is expected. Set bank_fee if the difference is the bank's fee, use the action part if more is to come, or accept_amount: true to apply it anyway.":
      "The bank booked {booked}, and with a fee of {fee} that is not the expected {asked}. Correct the fee, settle it as a part if more is to come, or accept the difference.",
    "The bank booked {booked} with a fee of {fee}, but {asked} is expected. Set bank_fee if the difference is the bank's fee, or accept_amount: true to apply it anyway.":
      "The bank booked {booked}, and with a fee of {fee} that is not the expected {asked}. Correct the fee, or accept the difference.",
    "The bank booked {booked}, but {asked} is expected. Set bank_fee if the difference is the bank's fee, use the action part if more is to come, or accept_amount: true to apply it anyway.":
      "The bank booked {booked}, but {asked} is expected. Enter the bank's fee if that is the difference, settle it as a part if more is to come, or accept the difference.",
    "The bank booked {booked}, but {asked} is expected. Set bank_fee if the difference is the bank's fee, or accept_amount: true to apply it anyway.":
      "The bank booked {booked}, but {asked} is expected. Enter the bank's fee if that is the difference, or accept the difference.",
  },
};
