/** Lists of the possible words of a value, such as a status, which is replaced by another of its list. */
import { parseSync, Visitor } from "oxc-parser";

export interface Words {
  /** The column or type that the list belongs to. */
  readonly name: string;
  readonly members: readonly string[];
}

/** The lists in a TypeScript file: of a property's type (`status: "a" | "b"`), or of a named type. */
export function wordsIn(file: string, text: string): readonly Words[] {
  const found: Words[] = [];
  const take = (name: string, type: object | undefined): void => {
    const members = literalsOf(type);
    if (members.length > 1) found.push({ name, members });
  };
  new Visitor({
    TSPropertySignature(node) {
      if (node.key.type === "Identifier") take(node.key.name, node.typeAnnotation?.typeAnnotation);
    },
    TSTypeAliasDeclaration(node) {
      take(node.id.name, node.typeAnnotation);
    },
  }).visit(parseSync(file, text).program);
  return found;
}

function literalsOf(type: object | undefined): readonly string[] {
  if (type === undefined || !("type" in type) || type.type !== "TSUnionType" || !("types" in type)) return [];
  return (type.types as readonly { literal?: { value?: unknown } }[])
    .map(({ literal }) => literal?.value)
    .filter((value) => typeof value === "string");
}

/**
 * Another word of a list with this one; null if there is none. A list of the given name is preferred. The choice
 * depends only on the word, so it is the same in every run.
 */
export function otherWord(lists: readonly Words[], word: string, name: string | null): string | null {
  const having = lists.filter(({ members }) => members.includes(word));
  const list = having.find((one) => one.name === name) ?? having[0];
  if (list === undefined) return null;
  return list.members[(list.members.indexOf(word) + 1) % list.members.length] ?? null;
}
