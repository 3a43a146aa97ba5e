/** Page of mandates: who has signed, and until when it is valid. Pure. */
import { html, type Html } from "../../files/html.ts";
import { LAPSING_DAYS, SCHEMES, STATUSES } from "../../mandates/mandate.ts";
import type { ListedRow } from "../../mandates/store.ts";
import { mandateExpiry } from "../../sepa/windows.ts";
import { input, select } from "../design/fields.ts";
import type { Filter } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { accountEnd, stateBadge, time } from "../design/values.ts";
import type { Words } from "../words.ts";
import { listPage, type ListPage } from "./list.ts";

export const MANDATES_PATH = "/console/mandates/";

export function mandatesPage(page: ListPage<ListedRow>): Html {
  const { words, now, rows } = page;
  const say = words.say;
  return listPage(page, {
    path: MANDATES_PATH,
    title: say("mandates"),
    none: [say("noMandates"), say("noMandatesHint")],
    filters: (query) => filtersOf(words, query),
    table: () =>
      table(
        say("mandates"),
        [
          { title: say("reference") },
          { title: say("status") },
          { title: say("holder") },
          { title: say("account4"), as: "short spare" },
          { title: say("scheme"), as: "short spare" },
          { title: say("signed"), as: "short spare" },
          { title: say("validUntil"), as: "short spare" },
        ],
        rows.map((row) => [
          html`<a class="row code" href="${MANDATES_PATH}${row.id}/">${row.reference}</a>`,
          stateBadge(words, row.status),
          html`${row.holder_name}
            <div class="soft spare">${row.email}</div>`,
          accountEnd(row.iban_last4),
          row.scheme,
          time(words, row.accepted_at, now),
          words.day(mandateExpiry(row.last_used_at ?? row.accepted_at)),
        ]),
      ),
  });
}

function filtersOf(words: Words, query: Readonly<Record<string, string>>): readonly Filter[] {
  const { texts, say } = words;
  const { status, scheme, lapsing, reference = "", email = "", from, to, lead_id: customer } = query;
  return [
    {
      title: say("status"),
      names: ["status"],
      shown: status === undefined ? null : (texts.states[status] ?? status),
      form: select({ name: "status", label: say("status"), value: status ?? "" }, [
        ["", say("any")],
        ...STATUSES.map((one) => [one, texts.states[one] ?? one] as const),
      ]),
    },
    {
      title: say("reference"),
      names: ["reference"],
      shown: reference === "" ? null : reference,
      form: input({ name: "reference", label: say("reference"), value: reference, maxLength: 70 }),
    },
    {
      title: say("email"),
      names: ["email"],
      shown: email === "" ? null : email,
      form: input({ name: "email", label: say("email"), value: email, maxLength: 254 }),
    },
    {
      title: say("scheme"),
      names: ["scheme"],
      shown: scheme ?? null,
      form: select({ name: "scheme", label: say("scheme"), value: scheme ?? "" }, [
        ["", say("any")],
        ...SCHEMES.map((one) => [one, texts.schemes[one]] as const),
      ]),
    },
    {
      title: say("validUntil"),
      names: ["lapsing"],
      shown: lapsing === undefined ? null : say(lapsing === "true" ? "lapsing" : "notLapsing", LAPSING),
      form: select({ name: "lapsing", label: say("validUntil"), value: lapsing ?? "" }, [
        ["", say("any")],
        ["true", say("lapsing", LAPSING)],
      ]),
    },
    {
      title: say("created"),
      names: ["from", "to"],
      shown: from === undefined && to === undefined ? null : `${from ?? ""} – ${to ?? ""}`,
      form: html`${input({ name: "from", label: say("from"), type: "date", value: from ?? "" })}
      ${input({ name: "to", label: say("to"), type: "date", value: to ?? "" })}`,
    },
    // It comes by a link of the customer's page.
    ...(customer === undefined
      ? []
      : [
          {
            title: say("customer"),
            names: ["lead_id"],
            shown: customer,
            form: input({ name: "lead_id", label: say("customer"), value: customer }),
          },
        ]),
  ];
}

const LAPSING = { number: LAPSING_DAYS };
