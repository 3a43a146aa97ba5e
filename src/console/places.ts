/** The console's pages by name, for the search: only those that the person may see. Pure. */
import type { Action } from "../people/access.ts";
import { personMay, type SignedIn } from "../people/person.ts";
import { DEVELOPER_PAGES } from "./developers/tabs.ts";
import { ENTRIES, ENTRIES_BELOW } from "./frame.ts";
import { LINKS_PATH } from "./pages/payments.ts";
import { SETUP_PAGES } from "./setup/tabs.ts";
import type { TextKey, Words } from "./words.ts";

export interface NamedPage {
  readonly path: string;
  readonly name: string;
  /** Its part of the console. */
  readonly section: string | null;
}

/** The pages whose names contain each word of the text; all of them for an empty text. */
export function placesFor({ say }: Words, person: SignedIn, text: string): readonly NamedPage[] {
  const wanted = folded(text).split(" ");
  const tabs = (section: TextKey, pages: readonly (readonly [string, TextKey, Action])[]) =>
    pages.map(([path, name, action]) => ({ path, name: say(name), section: say(section), action }));
  const entries = [...ENTRIES, ...ENTRIES_BELOW.filter(({ text: name }) => name === "people")];
  const all = [
    ...entries.map(({ path, text: name, action }) => ({ path, name: say(name), section: null, action })),
    ...tabs("payments", [[LINKS_PATH, "paymentLinks", "payments.read"]]),
    ...tabs("developers", DEVELOPER_PAGES),
    ...tabs("setup", SETUP_PAGES),
  ];
  return all
    .filter(({ action }) => personMay(person, action))
    .map(({ path, name, section }) => ({ path, name, section }))
    .filter(({ name, section }) => {
      const words = folded(`${section ?? ""} ${name}`);
      return wanted.every((one) => words.includes(one));
    });
}

/** Without case and accents, which people omit. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\s+/g, " ");
}
