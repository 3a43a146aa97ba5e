/**
 * Recognises passwords that are guessed first: common words with digits around them, sequences, repetitions, and words
 * about the person. Pure.
 */

/** The words in most passwords of published lists; letters only, in lower case. */
const WORDS = new Set(
  `password passwort passw pass word kennwort motdepasse contrasena senha haslo qwerty qwertz azerty qwertyuiop
  qwertzuiop azertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm yxcvbnm letmein welcome willkommen bienvenue admin
  administrator root superuser login iloveyou ichliebedich jetaime princess prinzessin dragon drache monkey
  football fussball soccer baseball basketball hockey superman batman spiderman starwars pokemon naruto
  minecraft fortnite computer internet samsung iphone google facebook microsoft windows android sunshine
  sonnenschein shadow master trustno freedom freiheit whatever forever family familie friends summer sommer
  winter spring autumn herbst fruehling hello hallo bonjour secret geheim secretpassword topsecret changeme
  change default test testing tester guest user username changemenow newpassword mypassword yourpassword
  passphrase correcthorsebatterystaple correct horse battery staple michael daniel thomas andrew jordan
  jennifer jessica ashley nicole charlie hannah alexander matthew joshua killer hunter ranger harley mustang
  porsche ferrari mercedes bmw corvette yankees liverpool arsenal chelsea barcelona realmadrid bayern
  dortmund schalke juventus manchester united january february march april may june july august september
  october november december januar februar maerz mai juni juli oktober dezember monday tuesday wednesday
  thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag schatz
  sternchen engel mausi hase schmetterling blume deutschland germany france london berlin paris hamburg
  muenchen payment payments console company firma money geld euro stripe paypal access zugang let me in
  a b c d e f g h i j k l m n o p q r s t u v w x y z abc abcd abcdef abcdefg abcdefgh abcdefghij the you love
  my is i am und the ich du`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Rows of keyboards and of the alphabet; a run of them is easily guessed in either direction. */
const ROWS = [
  "abcdefghijklmnopqrstuvwxyz",
  "0123456789012345678901234567890",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
  "1q2w3e4r5t6z7u8i9o0p",
  "1q2w3e4r5t6y7u8i9o0p",
];

/** Digits and signs used for letters. */
const LEET: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** The least that must remain of a good password. */
const OWN_LENGTH_MIN = 5;
const PERIOD_MAX = 6;
const RUN_MIN = 4;

/**
 * Whether a password is easily guessed.
 * @param about the person's address, name and company.
 */
export function isCommon(password: string, about: readonly string[]): boolean {
  const text = password.toLowerCase();
  if (isRepeated(text)) return true;
  const plain = Array.from(text, (letter) => LEET[letter] ?? letter).join("");
  const known = about
    .flatMap((name) => name.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((part) => part.length > 2);
  return [text, plain].some((spelling) => ownLength(spelling, known) < OWN_LENGTH_MIN);
}

/** Whether the text repeats a short piece. */
function isRepeated(text: string): boolean {
  for (let period = 1; period <= PERIOD_MAX; period += 1)
    if (
      text ===
      text
        .slice(0, period)
        .repeat(Math.ceil(text.length / period))
        .slice(0, text.length)
    )
      return true;
  return false;
}

/** How much is not part of a common word, a keyboard row or the person's names: letters count fully, digits half. */
function ownLength(text: string, known: readonly string[]): number {
  const parts = [...WORDS, ...known]
    .filter((word) => word.length > 2)
    .toSorted((a, b) => b.length - a.length);
  let left = text;
  for (const part of parts) left = left.replaceAll(part, " ");
  left = withoutRuns(left);
  const letters = Array.from(left.replace(/[^\p{L}]+/gu, "")).length;
  // Digits are mostly a date or a year.
  return letters + Math.floor(left.replace(/\D+/g, "").length / 2);
}

function withoutRuns(text: string): string {
  let left = text;
  for (const row of ROWS.flatMap((one) => [one, Array.from(one).toReversed().join("")]))
    for (let length = row.length; length >= RUN_MIN; length -= 1)
      for (let at = 0; at + length <= row.length; at += 1)
        left = left.replaceAll(row.slice(at, at + length), " ");
  return left;
}
