/** The form of a record, field by field. Pure. */
import { html, type Html } from "../../files/html.ts";
import { countries } from "../../http/fields.ts";
import { LANGUAGES } from "../../payment-page/texts/all.ts";
import { optionsByName, check, choices, input, select, textarea, type Option } from "../design/fields.ts";
import { faultWords } from "../refused.ts";
import type { Words } from "../words.ts";
import type { FormField } from "./fields.ts";
import { boxName, isWriteOnly } from "./given.ts";
import { fieldName, valueName } from "./names.ts";

export interface FormState {
  readonly fields: readonly FormField[];
  /** The typed text, or the record's value. */
  readonly typed: Readonly<Record<string, string>>;
  readonly faults: Readonly<Record<string, string>>;
  /** The options of fields whose schema has no values, or other names for the schema's values. */
  readonly options: Readonly<Record<string, readonly Option[]>>;
}

/** The fields, with those of one object grouped. */
export function recordFields(words: Words, state: FormState): Html {
  const groups = [...new Set(state.fields.map(groupOf))];
  return html`${groups.map((group) => {
    const body = state.fields
      .filter((field) => groupOf(field) === group)
      .map((field) => control(words, state, field));
    return group === ""
      ? html`${body}`
      : html`<fieldset class="group">
          <legend>${fieldName(words, group)}</legend>
          ${body}
        </fieldset>`;
  })}`;
}

function groupOf({ name }: FormField): string {
  return name.split(".").slice(0, -1).join(".");
}

const LONG: ReadonlySet<FormField["kind"]> = new Set(["long", "lines", "numbers", "json"]);

function control(words: Words, { typed, faults, options }: FormState, field: FormField): Html {
  const { name, kind, required, maxLength } = field;
  const label = fieldName(words, name);
  const hint = hintOf(words, field);
  const given = typed[name] ?? "";
  const value = kind === "amount" ? words.typedAmount(given) : given;
  const fault = faults[name] ?? Object.entries(faults).find(([one]) => one.startsWith(`${name}.`))?.[1];
  const error = fault === undefined ? undefined : faultWords(words, fault);
  const common = { name, id: name, label, value, hint, error, required };
  if (kind === "yes") return check(name, label, value !== "");
  const chosenFrom = options[name] ?? choicesOf(words, field, value);
  if (kind === "some") return boxes(words, field, label, typed, chosenFrom, error);
  if (chosenFrom.length > 0 || name in options)
    return select(common, required && value !== "" ? chosenFrom : [["", "–"], ...chosenFrom]);
  if (LONG.has(kind)) return textarea({ ...common, code: kind !== "long" || isWriteOnly(field) });
  return input({
    ...common,
    type: isWriteOnly(field) ? "password" : kind === "time" ? "datetime-local" : "text",
    ...(isWriteOnly(field) ? { autocomplete: "new-password" } : {}),
    ...(kind === "integer" ? { inputMode: "numeric" } : kind === "amount" ? { inputMode: "decimal" } : {}),
    ...(maxLength === null ? {} : { maxLength }),
  });
}

/** The choices that a field has by its kind or its schema. */
function choicesOf(words: Words, { kind, values }: FormField, value: string): readonly Option[] {
  if (kind === "country") return optionsByName(words, countries(), words.country, value);
  if (kind === "language") return optionsByName(words, LANGUAGES, words.languageOf, value);
  return values.map((one) => [one, valueName(words, one)] as const);
}

function boxes(
  { say }: Words,
  { name }: FormField,
  label: string,
  typed: FormState["typed"],
  chosenFrom: readonly Option[],
  error: string | undefined,
): Html {
  const options = chosenFrom.map(([value, text]) => [boxName(name, value), text] as const);
  const chosen = options.map(([box]) => box).filter((box) => box in typed);
  const isNone = !Object.keys(typed).some((box) => box.startsWith(boxName(name, "")));
  const fault = error !== undefined && isNone ? say("chooseOne") : error;
  return choices(label, chosen, options, fault);
}

function hintOf(words: Words, field: FormField): string | undefined {
  const { hints } = words.texts;
  const own = hints[field.name] ?? hints[field.name.split(".").at(-1) ?? ""];
  if (own !== undefined) return own;
  if (isWriteOnly(field)) return words.say("writeOnlyHint");
  return field.kind === "json" ? words.say("jsonHint") : undefined;
}
