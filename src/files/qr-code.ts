/** A QR code as SVG; the only file that imports the library. */
import { encode } from "uqr";
import { Html } from "./html.ts";

/** Quiet zone, in modules, that readers need around it. */
const BORDER = 4;

/** A single path of squares without its own styles: the page's policy allows none. */
export function qrCode(text: string): Html {
  const { data, size } = encode(text, { border: BORDER, ecc: "M" });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return new Html(
    `<svg xmlns="http://www.w3.org/2000/svg" class="qr" role="img" aria-label="QR code" viewBox="0 0 ${size} ${size}" width="200" height="200"><rect width="${size}" height="${size}" fill="#fff"/><path d="${squares.join("")}" fill="#000"/></svg>`,
  );
}
