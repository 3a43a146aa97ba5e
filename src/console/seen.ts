/** What a form's record was like when the form was shown, so that the form does not overwrite another person's change. */
import { html, type Html } from "../files/html.ts";

/** The hidden field with the time of the record's last change. */
export function seenField(changedAt: Date): Html {
  return html`<input type="hidden" name="seen" value="${changedAt.toISOString()}" />`;
}

/** The time in a form's hidden field; null if there is none. */
export function seenIn(form: Readonly<Record<string, string | undefined>>): Date | null {
  const at = new Date(form["seen"] ?? "");
  return Number.isNaN(at.getTime()) ? null : at;
}
