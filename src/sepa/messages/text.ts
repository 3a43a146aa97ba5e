/** Converts names and texts into the SEPA character set. Pure. */

/** The characters allowed in a text of a SEPA file. */
const ALLOWED = /^[A-Za-z0-9/\-?:().,'+ ]*$/;
const UNKNOWN = ".";

/** Letters with their spelling in the SEPA alphabet. Capitals are derived from these. */
const SPELT: ReadonlyMap<string, string> = tableOf({
  german: "ä=ae ö=oe ü=ue ß=ss",
  nordic: "æ=ae ø=oe þ=th ð=d",
  // Latin letters that Unicode does not decompose into a plain letter and an accent.
  latin: "œ=oe đ=d ł=l ħ=h ŧ=t ı=i ŋ=ng ĸ=k ə=e ŀ=l ƒ=f ŉ=n",
  // As in Greek passports, letter by letter.
  greek:
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o",
  // The Bulgarian law on transliteration (2009).
  bulgarian:
    "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=h ц=ts ч=ch ш=sh щ=sht ъ=a ь=y ю=yu я=ya",
  serbian: "ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz",
  macedonian: "ѓ=gj ѕ=dz ќ=kj",
  otherCyrillic: "ё=e ы=y э=e є=ye і=i ї=yi ґ=g ў=u",
});

/** Marks with an equivalent in the character set; all others become a dot. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ["&", "+"],
  ["€", "EUR"],
  [";", ","],
  ["_", "-"],
  ["~", "-"],
  ["‐", "-"],
  ["‑", "-"],
  ["‒", "-"],
  ["–", "-"],
  ["—", "-"],
  ["―", "-"],
  ["−", "-"],
  ["`", "'"],
  ["´", "'"],
  ["‘", "'"],
  ["’", "'"],
  ["‚", "'"],
  ["ʼ", "'"],
  ["[", "("],
  ["{", "("],
  ["]", ")"],
  ["}", ")"],
  ["\\", "/"],
  ["|", "/"],
  ["⁄", "/"],
]);

/**
 * The text in the SEPA character set, on one line, no longer than `charsMax`.
 * It is cut after conversion, because a converted text can be longer. Characters without a spelling become a dot, so a
 * name in an unknown script has no letters afterwards: see `hasLetter`.
 */
export function toSepaText(text: string, charsMax = Infinity): string {
  const converted = ALLOWED.test(text) ? text : convert(text.normalize("NFC"));
  return converted.replace(/ {2,}/g, " ").trim().slice(0, charsMax).trimEnd();
}

/** Whether a converted name still has a letter: banks reject a file with a name of dots. */
export function hasLetter(sepaText: string): boolean {
  return /[A-Za-z]/.test(sepaText);
}

function convert(text: string): string {
  const characters = Array.from(text.replace(/[οΟ][υύΥΎ]/g, (pair) => (pair.startsWith("ο") ? "ou" : "Ou")));
  return characters
    .map((character, index) => {
      const shouted = isCapital(characters[index - 1]) || isCapital(characters[index + 1]);
      return convertCharacter(character, shouted);
    })
    .join("");
}

function convertCharacter(character: string, shouted: boolean): string {
  if (ALLOWED.test(character)) return character;
  const known = spell(character, shouted) ?? MARKS.get(character);
  if (known !== undefined) return known;
  if (/\s|\p{Cc}|\p{Zs}/u.test(character)) return " ";
  // Invisible characters are dropped: joiners, direction marks, variation selectors.
  if (/\p{M}|\p{Cf}/u.test(character)) return "";
  return takeApart(character, shouted);
}

/** Decomposes an accented letter, a ligature or a letter of another width into plain letters. */
function takeApart(character: string, shouted: boolean): string {
  const parts = Array.from(character.normalize("NFKD").replace(/\p{M}/gu, ""));
  if (parts.length === 1 && parts[0] === character) return UNKNOWN;
  return parts.map((part) => convertCharacter(part, shouted)).join("");
}

/** `Ж` is `Zh` in a name and `ZH` among capitals. */
function spell(character: string, shouted: boolean): string | undefined {
  const spelt = SPELT.get(character);
  if (spelt !== undefined) return spelt;
  const small = SPELT.get(character.toLowerCase());
  if (small === undefined) return undefined;
  return shouted ? small.toUpperCase() : small.slice(0, 1).toUpperCase() + small.slice(1);
}

function isCapital(character: string | undefined): boolean {
  return character !== undefined && /\p{Lu}/u.test(character);
}

function tableOf(alphabets: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const pairs = Object.values(alphabets).flatMap((alphabet) => alphabet.split(" "));
  return new Map(pairs.map((pair): [string, string] => [pair.slice(0, 1), pair.slice(2)]));
}
