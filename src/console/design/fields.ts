/** Form fields: label, hint, error, and what was typed. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";

interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string | null;
  readonly hint?: string;
  readonly error?: string | undefined;
}

interface InputField extends Field {
  readonly type?: "text" | "email" | "date" | "search" | "password";
  readonly inputMode?: "decimal" | "numeric";
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
}

/** One line of text. */
export function input({
  name,
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
  const described = describedBy(name, hint, error);
  return around(
    { name, label, hint, error },
    html`<input
      id="${name}"
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
  { name, label, value = "", hint, error }: Field,
  options: readonly (readonly [value: string, text: string])[],
): Html {
  return around(
    { name, label, hint, error },
    html`<select
      id="${name}"
      name="${name}"
      ${error !== undefined && html` aria-invalid="true"`}${describedBy(name, hint, error)}
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

function around(
  {
    name,
    label,
    hint,
    error,
  }: Pick<Field, "name" | "label"> & { hint: string | undefined; error: string | undefined },
  control: Html,
): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${control} ${error === undefined ? NOTHING : html`<p class="error" id="${name}-error">${error}</p>`}
    ${hint === undefined || error !== undefined ? NOTHING : html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`;
}

function describedBy(name: string, hint: string | undefined, error: string | undefined): Html {
  if (error !== undefined) return html` aria-describedby="${name}-error"`;
  return hint === undefined ? NOTHING : html` aria-describedby="${name}-hint"`;
}
