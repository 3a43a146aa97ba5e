/** The languages of messages; a customer who speaks another one of the payment page's gets them in English. */
import type { Language } from "../../payment-page/texts/all.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { nl } from "./nl.ts";
import { pl } from "./pl.ts";
import type { MessageTexts } from "./texts.ts";

export const MESSAGE_TEXTS = { de, en, es, fr, it, nl, pl } as const satisfies Partial<
  Record<Language, MessageTexts>
>;

export type MessageLanguage = keyof typeof MESSAGE_TEXTS;

/** Changes with any change of a sentence; a test holds the texts of each version. */
const TEXT_VERSION = "2026-11-3";

/** What is stored with a message: which words, in which language. */
export function messageTextVersion(language: MessageLanguage): string {
  return `${TEXT_VERSION}/${language}`;
}

export function messageLanguage(wished: Language): MessageLanguage {
  return wished in MESSAGE_TEXTS ? (wished as MessageLanguage) : "en";
}
