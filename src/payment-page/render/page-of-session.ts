/** Composes a session's page: its state selects the body. Pure. */
import type { Declined, View } from "./choose-page.ts";
import { formMain, type Faults, type Typed } from "./form.ts";
import type { Html } from "../../files/html.ts";
import { sessionPage, type Body, type Sheet } from "./frame.ts";
import {
  endedBody,
  linkInUseBody,
  processingBody,
  receiptBody,
  unclearBody,
  verificationBody,
  type WayBack,
} from "./messages.ts";
import { redirectUrl, storedUrl } from "../redirect.ts";
import { bankUrl } from "../sandbox-bank/sandbox-bank-page.ts";

/** The request's part of the page, in addition to the session's state. */
export interface PageMoment {
  readonly sessionToken: string;
  /** The reference of the mandate that the form offers. */
  readonly reference: string;
  /** Whether the customer has just paid, or used the last attempt: they may return to the shop. */
  readonly justEnded: boolean;
  /** Whether the shop has not acknowledged the payment yet. */
  readonly heldBack: boolean;
  /** Whether the customer is on the way to the bank. */
  readonly leaving: boolean;
  /** Whether the bank was asked and reported no confirmation. */
  readonly notYet: boolean;
  readonly typed: Typed | null;
  readonly faults: Faults;
  readonly preview: boolean;
}

/** The HTTP status: 410 for an ended session, 409 while other customers use the link, 422 for an invalid form. */
export function statusOf(view: View, { faults }: Pick<PageMoment, "faults">): number {
  if (view.kind === "ended") return view.why === "failed" ? 200 : 410;
  if (view.kind === "link_in_use") return 409;
  return Object.keys(faults).length > 0 ? 422 : 200;
}

export function showPage(sheet: Sheet, view: View, moment: PageMoment): Html {
  const note = moment.preview ? { note: sheet.words.say("previewNote") } : {};
  const firstSeen = !moment.preview && isFirstSeen(sheet);
  return sessionPage(sheet, { ...bodyOf(sheet, view, moment), firstSeen, ...note });
}

/** Whether the page's first view may still be recorded; `recordOpened` decides. */
function isFirstSeen({ row, now }: Sheet): boolean {
  return row.opened_at === null && row.closed_at === null && row.expires_at > now;
}

function bodyOf(sheet: Sheet, view: View, moment: PageMoment): Body {
  switch (view.kind) {
    case "form":
      return formBody(sheet, view.declined, moment);
    case "processing":
      return processingBody(sheet);
    case "unclear":
      return unclearBody(sheet);
    case "link_in_use":
      return linkInUseBody(sheet);
    case "verification":
      return verificationBody(sheet, {
        url: bankUrl(sheet, view.url),
        leave: moment.leaving,
        notYet: moment.notYet,
      });
    case "receipt":
      return receiptBody(sheet, view.receipt, wayBack(sheet, moment, "success"));
    case "ended":
      return endedBody(sheet, view.why, view.reason, wayBack(sheet, moment, "failure"));
  }
}

function formBody(sheet: Sheet, declined: Declined | null, moment: PageMoment): Body {
  const { reference, typed, faults, preview } = moment;
  return {
    title: sheet.words.say(declined === null ? "formHeading" : "declinedHeading"),
    state: "form",
    backUrl: redirectUrl(storedUrl(sheet.row, "cancel_redirect_url"), {
      session_token: moment.sessionToken,
      status: sheet.row.status,
    }),
    main: formMain(sheet, { reference, declined, typed, faults, inert: preview }),
  };
}

function wayBack(
  { row }: Sheet,
  { sessionToken, justEnded, heldBack }: PageMoment,
  end: "success" | "failure",
): WayBack {
  const url = redirectUrl(storedUrl(row, `${end}_redirect_url`), {
    session_token: sessionToken,
    status: row.status,
  });
  return url === null ? null : { url, leaves: justEnded, isHeld: heldBack };
}
