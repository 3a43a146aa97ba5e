/** Form fields: label, hint, error, and what was typed. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";

/** A value of a choice, and its name. */
export type Option = readonly [value: string, text: string];

/** The name of a choice; its value if the choice no longer exists. */
export function nameOf(options: readonly Option[], value: string): string {
  return options.find(([one]) => one === value)?.[1] ?? value;
}

interface Field {
  readonly name: string;
  /** Given if the name occurs more than once on the page. */
  readonly id?: string;
  readonly label: string;
  readonly value?: string | null;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

export interface InputField extends Field {
  readonly type?: "text" | "email" | "date" | "search" | "password" | "url" | "datetime-local";
  readonly inputMode?: "decimal" | "numeric";
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
}

/** One line of text. */
export function input({
  name,
  id = name,
  label,
  value = null,
  hint,
  error,
  type = "text",
  inputMode,
  autocomplete = "off",
  required = false,
  maxLength,
}: InputField): Html {
  const described = describedBy(id, hint, error);
  return around(
    { id, label, hint, error },
    html`<input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value ?? ""}"
      autocomplete="${autocomplete}"
      ${inputMode !== undefined && html` inputmode="${inputMode}"`}${required && html` required`}${
        maxLength !== undefined && html` maxlength="${maxLength}"`
      }${error !== undefined && html` aria-invalid="true"`}${described}
    />`,
  );
}

/** Codes as options, by their names in the person's order. A chosen code that is none of them stays one. */
export function optionsByName(
  words: Pick<Words, "compare">,
  codes: Iterable<string>,
  name: (code: string) => string,
  chosen: string,
): readonly Option[] {
  const all = new Set([...codes, ...(chosen === "" ? [] : [chosen])]);
  return [...all]
    .map((code) => [code, name(code)] as const)
    .toSorted(([, one], [, other]) => words.compare(one, other));
}

/** One of some values. */
export function select(
  {
    name,
    id = name,
    label,
    value = "",
    hint,
    error,
    required = false,
  }: Field & { readonly required?: boolean },
  options: readonly Option[],
): Html {
  return around(
    { id, label, hint, error },
    html`<select
      id="${id}"
      name="${name}"
      ${required && html` required`}${error !== undefined && html` aria-invalid="true"`}${describedBy(id, hint, error)}
    >
      ${options.map(
        ([one, text]) => html`<option value="${one}" ${one === value && html` selected`}>${text}</option>`,
      )}
    </select>`,
  );
}

/** One of a few values with names too long for a select. */
export function fewChoices(
  { name, label, value, hint }: Pick<Field, "name" | "label" | "hint"> & { readonly value: string },
  options: readonly Option[],
): Html {
  return html`<fieldset ${hint !== undefined && html`aria-describedby="${name}-hint"`}>
    <legend>${label}</legend>
    ${options.map(
      ([one, text]) =>
        html`<label class="choice"
          ><input type="radio" name="${name}" value="${one}" ${one === value && html` checked`} />
          <span>${text}</span></label
        >`,
    )}
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </fieldset>`;
}

/**
 * Text of several lines.
 * @param code in a monospaced font.
 */
export function textarea({
  name,
  id = name,
  label,
  value = null,
  hint,
  error,
  code = false,
  required = false,
}: Field & { readonly code?: boolean; readonly required?: boolean }): Html {
  const given = value ?? "";
  const rows = Math.min(Math.max(given.split("\n").length, ROWS_MIN), ROWS_MAX);
  return around(
    { id, label, hint, error },
    html`<textarea
      id="${id}"
      name="${name}"
      rows="${rows}"
      ${code && html` class="code" spellcheck="false"`}${required && html` required`}${
        error !== undefined && html` aria-invalid="true"`
      }${describedBy(id, hint, error)}
    >
${given}</textarea>`,
  );
}

/** Several values, each a box with its own name, as a form contains each name once. */
export function choices(
  label: string,
  chosen: readonly string[],
  options: readonly (readonly [name: string, text: string])[],
  error?: string,
): Html {
  return html`<fieldset>
    <legend>${label}</legend>
    ${error !== undefined && html`<p class="error">${error}</p>`}
    ${options.map(
      ([one, text]) =>
        html`<label class="choice"
          ><input type="checkbox" name="${one}" value="1" ${chosen.includes(one) && html` checked`} />
          <span>${text}</span></label
        >`,
    )}
  </fieldset>`;
}

/** Yes or no. @param value of yes. */
export function check(name: string, label: string, checked: boolean, value = "1"): Html {
  return html`<div class="field">
    <label class="choice"
      ><input type="checkbox" name="${name}" value="${value}" ${checked && html` checked`} />
      <span>${label}</span></label
    >
  </div>`;
}

/** The end of a form: the submit button, then other actions. */
export function formActs(label: string, kind: "main" | "bad" | "" = "main", ...more: readonly Html[]): Html {
  return html`<div class="form-acts"><button class="${kind}">${label}</button>${more}</div>`;
}

const ROWS_MIN = 3;
const ROWS_MAX = 16;

function around(
  {
    id,
    label,
    hint,
    error,
  }: Pick<Field, "label"> & { id: string; hint: string | undefined; error: string | undefined },
  control: Html,
): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${control} ${error === undefined ? NOTHING : html`<p class="error" id="${id}-error">${error}</p>`}
    ${hint === undefined || error !== undefined ? NOTHING : html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

function describedBy(id: string, hint: string | undefined, error: string | undefined): Html {
  if (error !== undefined) return html` aria-describedby="${id}-error"`;
  return hint === undefined ? NOTHING : html` aria-describedby="${id}-hint"`;
}
