/** HTML templates that escape inserted values. Pure. */

/** Markup that is safe to send; only `html` creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | false | readonly Html[];

export const NOTHING = new Html("");

/** A template: strings and numbers are escaped, markup and lists of it are inserted unchanged, null and false insert nothing. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = literals[0] ?? "";
  for (const [index, part] of parts.entries()) text += rendered(part) + (literals[index + 1] ?? "");
  return new Html(text);
}

function rendered(part: Part): string {
  if (part === null || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "string" || typeof part === "number") return escaped(String(part));
  return part.map(({ text }) => text).join("");
}

/** Safe in text and in quoted attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
