/** Every language of the payment page: the official ones of the SEPA countries. */
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
import type { Texts } from "./texts.ts";

/** By BCP 47 tag. */
export const TEXTS = {
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
} as const satisfies Readonly<Record<string, Texts>>;

export type Language = keyof typeof TEXTS;

export const LANGUAGES = Object.keys(TEXTS) as readonly Language[];

/** Each language in its own name, for the switch. */
export const LANGUAGE_NAMES: readonly (readonly [Language, string])[] = LANGUAGES.map((language) => {
  const name = new Intl.DisplayNames(language, { type: "language" }).of(language) ?? language;
  return [language, name.charAt(0).toLocaleUpperCase(language) + name.slice(1)];
});
