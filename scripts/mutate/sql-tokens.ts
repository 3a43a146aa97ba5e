/** The words of an SQL statement, with their places and how deep they are nested. */

export interface Token {
  readonly kind: "word" | "text" | "number" | "parameter" | "sign";
  /** Unchanged; words in lower case. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The number of parentheses, brackets and `case … end` around it; their first and last token are outside. */
  readonly depth: number;
}

/** Space and comments; texts with doubled quotes; dollar quotes do not occur in statements with parameters. */
const PATTERN =
  /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<text>'(?:[^']|'')*')|(?<word>"(?:[^"]|"")*"|[a-z_][a-z_0-9]*)|(?<parameter>\$\d+)|(?<number>\d+(?:\.\d+)?)|(?<sign>::|->>|->|#>>|#>|<=|>=|<>|!=|\|\||@>|<@|\?\||\?&|=>|!~\*|!~|~\*|[-+*/%<>=~^@?|&#(),.;:[\]])/giy;

/** @throws Error at a character that belongs to no token. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(text);
    if (match === null) throw new Error(`SQL cannot be read at: ${text.slice(at, at + 40)}`);
    const [found] = match;
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [""];
    if (kind !== "space") {
      const word = kind === "word" ? found.toLowerCase() : found;
      if ([")", "]", "end"].includes(word)) depth -= 1;
      tokens.push({ kind: kind as Token["kind"], text: word, start: at, end: at + found.length, depth });
      if (["(", "[", "case"].includes(word)) depth += 1;
    }
    at += found.length;
  }
  return tokens;
}
