/** The words of messages, in every language of the payment page. */
import type { Language } from "../../payment-page/texts/all.ts";
import { bg } from "./bg.ts";
import { ca } from "./ca.ts";
import { cs } from "./cs.ts";
import { da } from "./da.ts";
import { de } from "./de.ts";
import { el } from "./el.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { et } from "./et.ts";
import { fi } from "./fi.ts";
import { fr } from "./fr.ts";
import { ga } from "./ga.ts";
import { hr } from "./hr.ts";
import { hu } from "./hu.ts";
import { is } from "./is.ts";
import { it } from "./it.ts";
import { lb } from "./lb.ts";
import { lt } from "./lt.ts";
import { lv } from "./lv.ts";
import { mk } from "./mk.ts";
import { mt } from "./mt.ts";
import { nb } from "./nb.ts";
import { nl } from "./nl.ts";
import { nn } from "./nn.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import { ro } from "./ro.ts";
import { sk } from "./sk.ts";
import { sl } from "./sl.ts";
import { sq } from "./sq.ts";
import { sr } from "./sr.ts";
import { srLatn } from "./sr-latn.ts";
import { sv } from "./sv.ts";
import { tr } from "./tr.ts";
import type { MessageTexts } from "./texts.ts";

/** By BCP 47 tag. */
export const MESSAGE_TEXTS: Readonly<Record<Language, MessageTexts>> = {
  bg,
  ca,
  cs,
  da,
  de,
  el,
  en,
  es,
  et,
  fi,
  fr,
  ga,
  hr,
  hu,
  is,
  it,
  lb,
  lt,
  lv,
  mk,
  mt,
  nb,
  nl,
  nn,
  pl,
  pt,
  ro,
  sk,
  sl,
  sq,
  sr,
  "sr-Latn": srLatn,
  sv,
  tr,
};

/** Changes with any change of a sentence; a test holds the texts of each version. */
const TEXT_VERSION = "2026-11-4";

/** What is stored with a message: which words, in which language. */
export function messageTextVersion(language: Language): string {
  return `${TEXT_VERSION}/${language}`;
}
