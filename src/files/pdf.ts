/**
 * PDF files for archiving (PDF/A-3b, ISO 19005-3): fonts embedded, colours defined, nothing encrypted or loaded.
 * Imported on first use: the library is large, and most processes create no PDF.
 */
import { readFile } from "node:fs/promises";
import { create, type Font } from "fontkit";
import PDFDocument from "pdfkit";
import { once } from "../lib/once.ts";

/** The contents from top to bottom. */
export type PdfPart =
  | { readonly kind: "title" | "heading" | "text" | "small"; readonly text: string }
  | { readonly kind: "facts"; readonly facts: readonly PdfFact[] };

/** A label, its value, and details in small letters below. */
export type PdfFact = readonly [label: string, value: string, below?: string];

export interface PdfSheet {
  readonly title: string;
  /** BCP 47. */
  readonly language: string;
  readonly at: Date;
  readonly parts: readonly PdfPart[];
  /** Attached to the sheet, for programs. */
  readonly attachment?: {
    readonly name: string;
    readonly type: string;
    readonly description: string;
    readonly bytes: Buffer;
  };
}

const MARGIN = 56;
const FOOT = 28;
const LABEL_WIDTH = 135;
const GAP = 12;
const INK = "#111827";
const FAINT = "#4b5563";
const LINE = "#9ca3af";

const STYLES = {
  title: { font: "bold", size: 17, before: 0, after: 10, ink: INK },
  heading: { font: "bold", size: 11.5, before: 14, after: 4, ink: INK },
  text: { font: "regular", size: 10, before: 0, after: 6, ink: INK },
  small: { font: "regular", size: 8, before: 0, after: 4, ink: FAINT },
  below: { font: "regular", size: 6.5, before: 0, after: 0, ink: FAINT },
  fact: { font: "regular", size: 9.5, before: 0, after: 4, ink: INK },
} as const;

type Style = (typeof STYLES)[keyof typeof STYLES];
type Face = Style["font"];

/** The sheet as a file. Letters that the fonts lack are shown as U+FFFD. */
export async function pdfOf({ title, language, at, parts, attachment }: PdfSheet): Promise<Buffer> {
  const faces = await fonts();
  const shown = showable(faces.regular.font);
  const doc = new PDFDocument({
    size: "A4",
    margin: MARGIN,
    pdfVersion: "1.7",
    subset: "PDF/A-3b",
    lang: language,
    displayTitle: true,
    bufferPages: true,
    autoFirstPage: false,
    info: { Title: shown(title), Creator: "Payment Session Service", CreationDate: at },
  });
  const written = collected(doc);
  doc.registerFont("regular", faces.regular.bytes);
  doc.registerFont("bold", faces.bold.bytes);
  doc.font("regular");
  doc.addPage();
  for (const part of parts) {
    if (part.kind === "facts") writeFacts(doc, part.facts, shown);
    else writeText(doc, shown(part.text), STYLES[part.kind]);
  }
  numberPages(doc, shown(title));
  if (attachment !== undefined) {
    const { name, type, description, bytes } = attachment;
    const when = { creationDate: at, modifiedDate: at };
    doc.file(bytes, { name, type, description, ...when });
  }
  doc.end();
  return written;
}

type Doc = InstanceType<typeof PDFDocument>;

function writeText(doc: Doc, text: string, style: Style): void {
  doc.y += doc.y === doc.page.margins.top ? 0 : style.before;
  set(doc, style);
  // A heading stays with the lines below it.
  if (style.before > 0) makeRoom(doc, doc.heightOfString(text, { width: width(doc) }) + 3 * style.size);
  doc.text(text, MARGIN, doc.y, { width: width(doc) });
  doc.y += style.after;
}

/** Labels on the left and values on the right, between two lines. */
function writeFacts(doc: Doc, facts: readonly PdfFact[], shown: (text: string) => string): void {
  const value = MARGIN + LABEL_WIDTH + GAP;
  const valueWidth = width(doc) - LABEL_WIDTH - GAP;
  drawLine(doc);
  for (const fact of facts) {
    const [label, named, below] = [shown(fact[0]), shown(fact[1]), shown(fact[2] ?? "")];
    set(doc, STYLES.fact);
    const labelHeight = doc.heightOfString(label, { width: LABEL_WIDTH });
    makeRoom(doc, labelHeight + doc.heightOfString(named, { width: valueWidth }));
    const top = doc.y;
    doc.fillColor(FAINT).text(label, MARGIN, top, { width: LABEL_WIDTH });
    doc.fillColor(INK).text(named, value, top, { width: valueWidth });
    if (below !== "") {
      set(doc, STYLES.below);
      doc.text(below, value, doc.y, { width: valueWidth });
    }
    // A value longer than a page has continued on the next one.
    if (doc.y >= top) doc.y = Math.max(doc.y, top + labelHeight);
    doc.y += STYLES.fact.after;
  }
  drawLine(doc);
}

function drawLine(doc: Doc): void {
  makeRoom(doc, GAP);
  doc
    .moveTo(MARGIN, doc.y + 2)
    .lineTo(MARGIN + width(doc), doc.y + 2)
    .lineWidth(0.5)
    .strokeColor(LINE)
    .stroke();
  doc.y += 8;
}

function numberPages(doc: Doc, title: string): void {
  const { start, count } = doc.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    doc.switchToPage(page);
    set(doc, STYLES.small);
    // Below the margin: in the text's area it would begin another page.
    doc.page.margins.bottom = 0;
    const words = `${title} · ${page - start + 1} / ${count}`;
    doc.text(words, MARGIN, doc.page.height - MARGIN + FOOT / 2, { width: width(doc), lineBreak: false });
    doc.page.margins.bottom = MARGIN;
  }
}

function set(doc: Doc, { font, size, ink }: Style): void {
  doc.font(font).fontSize(size).fillColor(ink);
}

function width(doc: Doc): number {
  return doc.page.width - 2 * MARGIN;
}

function makeRoom(doc: Doc, height: number): void {
  if (doc.y + height > doc.page.height - MARGIN && doc.y > MARGIN) doc.addPage();
}

function collected(doc: Doc): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    doc.on("data", (chunk: Buffer) => chunks.push(chunk));
    doc.on("end", () => resolve(Buffer.concat(chunks)));
    doc.on("error", reject);
  });
}

interface LoadedFont {
  readonly bytes: Buffer;
  readonly font: Font;
}

/** Noto Sans with the letters of Latin, Greek and Cyrillic (fonts/OFL.txt). */
export const fonts = once(async (): Promise<Readonly<Record<Face, LoadedFont>>> => {
  const [regular, bold] = await Promise.all([load("Regular"), load("Bold")]);
  return { regular, bold };
});

async function load(weight: string): Promise<LoadedFont> {
  const bytes = await readFile(new URL(`./fonts/NotoSans-${weight}.ttf`, import.meta.url));
  return { bytes, font: create(bytes) as Font };
}

/** PDF/A allows no character that the font lacks. */
function showable(font: Font): (text: string) => string {
  const known = new Set(font.characterSet);
  return (text) =>
    text
      .normalize("NFC")
      .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
      .replace(/[^]/gu, (letter) => (known.has(letter.codePointAt(0) ?? 0) ? letter : "\u{fffd}"));
}
