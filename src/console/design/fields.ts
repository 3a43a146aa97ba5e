/** Form fields: label, hint, error, and what was typed. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";

interface Field {
  readonly name: string;
  /** Where its name stands on the page more than once. */
  readonly id?: string;
  readonly label: string;
  readonly value?: string | null;
  readonly hint?: string;
  readonly error?: string | undefined;
}

interface InputField extends Field {
  readonly type?: "text" | "email" | "date" | "search" | "password" | "url";
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

/** One of some values. */
export function select(
  { name, id = name, label, value = "", hint, error }: Field,
  options: readonly (readonly [value: string, text: string])[],
): Html {
  return around(
    { id, label, hint, error },
    html`<select
      id="${id}"
      name="${name}"
      ${error !== undefined && html` aria-invalid="true"`}${describedBy(id, hint, error)}
    >
      ${options.map(
        ([one, text]) => html`<option value="${one}" ${one === value && html` selected`}>${text}</option>`,
      )}
    </select>`,
  );
}

/** Any of some values. @param name of each box. */
export function choices(
  name: string,
  label: string,
  chosen: readonly string[],
  options: readonly (readonly [value: string, text: string])[],
): Html {
  return html`<fieldset>
    <legend>${label}</legend>
    ${options.map(
      ([one, text]) =>
        html`<label class="choice"
          ><input type="checkbox" name="${name}" value="${one}" ${chosen.includes(one) && html` checked`} />
          <span>${text}</span></label
        >`,
    )}
  </fieldset>`;
}

/** Yes or no. */
export function check(name: string, label: string, checked: boolean): Html {
  return html`<div class="field">
    <label class="choice"
      ><input type="checkbox" name="${name}" value="1" ${checked && html` checked`} />
      <span>${label}</span></label
    >
  </div>`;
}

/** The end of a form: the button that sends it, then other ways to go on. */
export function formActs(label: string, kind: "main" | "bad" | "" = "main", ...more: readonly Html[]): Html {
  return html`<div class="form-acts"><button class="${kind}">${label}</button>${more}</div>`;
}

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
