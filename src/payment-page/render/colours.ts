/**
 * Colours of a merchant's branding: accepts only hexadecimal ones, and keeps text on them readable (WCAG 2.2). Pure.
 */

/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

export interface Palette {
  readonly primary: string;
  readonly onPrimary: string;
  readonly accent: string;
  readonly onAccent: string;
  /** The accent for focus rings and links if it is visible on white; else a blue. */
  readonly mark: string;
}

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const PRIMARY = "#1f2937";
const ACCENT = "#2563eb";
const WHITE: Rgb = [255, 255, 255];
const DARK: Rgb = [17, 24, 39];
/** The minimum contrast of text, WCAG 2.2, 1.4.3. */
const CONTRAST_MIN = 4.5;

/** The colours of a page; an invalid colour is replaced by the default. */
export function paletteOf(branding: {
  readonly primary_color?: unknown;
  readonly accent_color?: unknown;
}): Palette {
  const primary = rgbOf(branding.primary_color, PRIMARY);
  const accent = rgbOf(branding.accent_color, ACCENT);
  const visible = contrast(accent, WHITE) >= CONTRAST_MIN;
  return {
    primary: hex(primary),
    onPrimary: hex(textOn(primary)),
    accent: hex(accent),
    onAccent: hex(textOn(accent)),
    mark: visible ? hex(accent) : ACCENT,
  };
}

/** The contrast ratio of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The colour as RGB; the fallback if it is invalid. Never throws. */
function rgbOf(value: unknown, fallback: string): Rgb {
  const text = typeof value === "string" && HEX.test(value) ? value : fallback;
  const short = text.length === 4;
  const digits = short ? text.slice(1).replace(/./g, "$&$&") : text.slice(1);
  const [red = 0, green = 0, blue = 0, alpha = 255] = (digits.match(/../g) ?? []).map((pair) =>
    Number.parseInt(pair, 16),
  );
  // The page's background is white, so a transparent colour becomes a lighter one.
  const over = (part: number) => Math.round((part * alpha + 255 * (255 - alpha)) / 255);
  return [over(red), over(green), over(blue)];
}

/** Dark or white, whichever is more readable: one of the two always has enough contrast. */
function textOn(background: Rgb): Rgb {
  const black: Rgb = [0, 0, 0];
  if (contrast(WHITE, background) >= CONTRAST_MIN) return WHITE;
  return contrast(DARK, background) >= CONTRAST_MIN ? DARK : black;
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function hex(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
