/** A dossier and a mandate as PDF pages. Pure. */
import type { PdfFact, PdfPart, PdfSheet } from "../../files/pdf.ts";
import { mandateSheet, timeInWords, type MandateSheet } from "../sheet.ts";
import { shownPresentation } from "../mandate.ts";
import { asSigned, pageOfAcceptance, type Evidence } from "./facts.ts";
import type { DossierEntry } from "./chain.ts";
import { DOSSIER_DATA, type Dossier } from "./dossier.ts";

/** The customer's copy of a mandate. */
export function mandateCopy(sheet: MandateSheet, at: Date): PdfSheet {
  const { heading, language, reference, proof } = sheet;
  return {
    title: `${heading} ${reference}`,
    language,
    at,
    parts: [
      { kind: "title", text: heading },
      ...mandateParts(sheet),
      ...proof.flatMap(({ heading: text, lines }) => [
        { kind: "heading" as const, text },
        ...lines.map((line): PdfPart => ({ kind: "small", text: line })),
      ]),
    ],
  };
}

function mandateParts({ paragraphs, facts }: MandateSheet): readonly PdfPart[] {
  return [...paragraphs.map((text): PdfPart => ({ kind: "text", text })), { kind: "facts", facts }];
}

/**
 * The dossier in English for examiners, with the mandate in its own language.
 * @param data the machine-readable part.
 */
export function dossierSheet(evidence: Evidence, dossier: Dossier, data: Buffer): PdfSheet {
  const { mandate, around, shown } = evidence;
  const title = `Mandate dossier ${mandate.reference}`;
  const signed = mandateSheet(asSigned(mandate), shown);
  return {
    title,
    language: "en",
    at: new Date(dossier.made_at),
    parts: [
      { kind: "title", text: title },
      {
        kind: "facts",
        facts: [
          ["Made", `${timeInWords(dossier.made_at)} for ${around.tenant_name}`],
          ["Mandate", `${mandate.reference}, ${mandate.scheme}, ${mandate.status}`],
          ["Creditor", [mandate.creditor_name, mandate.creditor_identifier].filter(Boolean).join(", ")],
          ["Record", mandate.id],
        ],
      },
      ...erased(dossier),
      { kind: "heading", text: `As it was signed: ${signed.heading}` },
      ...mandateParts(signed),
      { kind: "small", text: whichText(evidence) },
      { kind: "heading", text: "Acceptance" },
      { kind: "facts", facts: acceptance(evidence) },
      { kind: "heading", text: "What has happened with it" },
      { kind: "facts", facts: dossier.entries.map(entryLine) },
      ...(dossier.debits_left_out ? [LEFT_OUT] : []),
      { kind: "heading", text: "Presentation from a wallet" },
      ...presentation(evidence),
      { kind: "heading", text: "What this file proves" },
      ...PROVES.map((text): PdfPart => ({ kind: "text", text })),
    ],
    attachment: {
      name: DOSSIER_DATA,
      type: "application/json",
      description: "The entries with all their fields and the chain of their hashes",
      bytes: data,
    },
  };
}

/** Its bytes are in the attachment. */
function presentation({ mandate, presentation: bytes }: Evidence): readonly PdfPart[] {
  const kept = shownPresentation(mandate);
  if (kept === null) return [{ kind: "text", text: "None was given." }];
  const facts: readonly PdfFact[] = [
    ["Given", timeInWords(kept.at)],
    ["Format", kept.format],
    ["SHA-256", kept.sha256],
    ["In this file", bytes === null ? "No: it was erased" : `In ${DOSSIER_DATA}, the entry “presented”`],
  ];
  return [
    { kind: "facts", facts },
    { kind: "small", text: "The service stored it unchanged and did not verify its signature." },
  ];
}

function entryLine({ number, at, text, hash }: DossierEntry): PdfFact {
  return [`${number}  ${timeInWords(at)}`, text, hash];
}

const LEFT_OUT: PdfPart = { kind: "text", text: "Older debits are left out." };

const PROVES = [
  `The line below each entry is its hash: SHA-256 of the hash above it and of the entry with all its fields, as they are in the attached ${DOSSIER_DATA}. An entry that is changed, removed or added changes all hashes after it. Where a letter is shown as \u{fffd}, the font of this file lacks it; the attached file has it.`,
  "A seal in the file covers every byte of it. The service that made the file can tell with its keys whether it is unchanged and whether it has made it (npm run cli -- mandates verify FILE), and whether what it has stored is still what the file says. Its audit log names the file's hash.",
  "Without those keys the file can be checked against itself only: that finds damage, not a person who has made all hashes anew. The seal is the creditor's own. It is not an electronic signature of the debtor or of a third party, nor a time stamp, and does not prove that the records were right when the file was made.",
];

function erased({ erased_at }: Dossier): readonly PdfPart[] {
  if (erased_at === null) return [];
  const text = `The customer was erased at ${timeInWords(erased_at)}. Name, account, addresses and reasons in words are not stored any more; "erased" and XXXX stand in their places.`;
  return [{ kind: "text", text }];
}

function whichText({ mandate, shown }: Evidence): string {
  if (shown.accepted) return `The text above is the one that was accepted: version ${mandate.text_version}.`;
  return "The text above is the scheme's of today. The accepted one was worded differently, in another language, or on the merchant's own page.";
}

function acceptance({ mandate, around }: Evidence): readonly (readonly [string, string])[] {
  const { accepted_at, acceptance_mode, accepted_ip, accepted_user_agent, text_version } = mandate;
  if (acceptance_mode === null)
    return [["Signed", "elsewhere; the signature is kept by the party that collected it"]];
  const gone = around.erased_at === null ? "not recorded" : "erased";
  return [
    ["Time", timeInWords(accepted_at.toISOString())],
    ["How", acceptance_mode === "checkbox" ? "by ticking the box next to the text" : "by paying (IMPLICIT)"],
    ["Network address", accepted_ip ?? gone],
    ["User agent", accepted_user_agent ?? gone],
    ["Page", pageOfAcceptance(mandate, around) ?? ""],
    ["Text", text_version ?? ""],
  ];
}
