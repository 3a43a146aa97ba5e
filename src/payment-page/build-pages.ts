/** Builds the responses of the page's routes. */
import type { Deps } from "../deps.ts";
import type { Answer, Failure } from "../http/endpoint.ts";
import { paymentPageAnswer } from "./responses.ts";
import { SCRIPT, SCRIPT_INTEGRITY } from "./assets.ts";
import { languageOf } from "./language.ts";
import type { ShownDebit } from "./debit.ts";
import type { Html } from "../files/html.ts";
import {
  logoUrl,
  plainPage,
  sessionPage,
  type Body,
  type MerchantSheet,
  type Place,
  type Sheet,
} from "./render/frame.ts";
import { showPage, statusOf, type PageMoment } from "./render/page-of-session.ts";
import { troubleBody, type Trouble } from "./render/messages.ts";
import type { PageRow } from "./store.ts";
import type { View } from "./render/choose-page.ts";
import { wordsIn, type PageWords } from "./render/wording.ts";

type Headers = Failure["headers"];

export interface Pages {
  /** The path of a session's page. */
  pathOf(token: string): string;
  linkPathOf(token: string): string;
  failedPathOf(token: string): string;
  accountPathOf(token: string): string;
  sandboxBankPathOf(id: string): string;
  /** The parts of a session's page, in the language that matches the request. */
  sheet(row: PageRow, debit: ShownDebit, at: SheetAt): Sheet;
  session(sheet: Sheet, view: View, moment: PageMoment, headers: Headers): Promise<Answer>;
  /** The texts of a merchant's page without a session. */
  wordsOf(row: MerchantRow, at: Pick<SheetAt, "chosen" | "headers">): PageWords;
  /** A page of the session that does not show its state. */
  body(
    sheet: Sheet,
    body: Body,
    headers: Headers,
    more?: { readonly formsLeadAway: boolean },
  ): Promise<Answer>;
  /** A page of a merchant without a session. */
  merchant(
    status: number,
    row: MerchantRow,
    at: Omit<SheetAt, "now">,
    pageOf: (sheet: MerchantSheet) => Html,
  ): Promise<Answer>;
  trouble(status: number, trouble: Trouble, at: TroubleAt): Promise<Answer>;
}

interface SheetAt {
  readonly now: Date;
  readonly path: string;
  /** The language chosen by the customer on the page. */
  readonly chosen: string | undefined;
  readonly headers: Headers;
}

type MerchantRow = MerchantSheet["row"] &
  Pick<PageRow, "default_locale"> & { readonly country: string | null };

interface TroubleAt {
  readonly headers: Headers;
  /** The link back to the payment, or null. */
  readonly backPath: string | null;
  readonly more?: Readonly<Record<string, string>>;
}

export function createPages(deps: Pick<Deps, "adapters" | "ids" | "publicUrl">): Pages {
  const base = new URL(deps.publicUrl).pathname.replace(/\/$/, "");
  const secure = deps.publicUrl.startsWith("https:");
  const scriptPath = `${base}/pay/assets/pay.js?v=${SCRIPT.version}`;
  const place = (path: string): Place => ({
    path,
    nonce: deps.ids.secret(16).toString("base64"),
    script: { path: scriptPath, integrity: SCRIPT_INTEGRITY },
  });
  const framing = (sheet: Sheet) => ({
    nonce: sheet.place.nonce,
    logoUrl: logoUrl(sheet.row.page),
    frameOrigins: sheet.row.page?.frame_origins ?? [],
    secure,
  });

  return {
    pathOf: (token) => `${base}/pay/${encodeURIComponent(token)}/`,
    linkPathOf: (token) => `${base}/pay/link/${encodeURIComponent(token)}/`,
    failedPathOf: (token) => `${base}/pay/failed/${encodeURIComponent(token)}/`,
    accountPathOf: (token) => `${base}/pay/account/${encodeURIComponent(token)}/`,
    sandboxBankPathOf: (id) => `${base}/sandbox/verifications/${encodeURIComponent(id)}`,
    sheet(row, debit, { now, path, chosen, headers }) {
      const language = languageOf({
        chosen,
        sessionLocale: row.session_locale,
        acceptLanguage: headers["accept-language"]?.toString(),
        pageLocale: row.page?.locale ?? null,
        country: row.country,
        merchantLocale: row.default_locale,
      });
      const adapter = deps.adapters.get(row.adapter);
      const asksAddress = row.city === null && adapter?.asksAddress === true;
      const testAccounts = row.test_mode ? (adapter?.testAccounts ?? []) : [];
      return {
        place: place(path),
        words: wordsIn(language, row.country),
        row,
        now,
        debit,
        testAccounts,
        asksAddress,
      };
    },
    session: (sheet, view, moment, headers) =>
      paymentPageAnswer(
        statusOf(view, moment),
        showPage(sheet, view, moment),
        { ...framing(sheet), inConsole: moment.preview },
        headers["accept-encoding"],
      ),
    wordsOf: merchantWords,
    merchant(status, row, { path, chosen, headers }, pageOf) {
      const here = place(path);
      const sheet = { place: here, words: merchantWords(row, { chosen, headers }), row };
      const { page } = row;
      const framed = {
        nonce: here.nonce,
        logoUrl: logoUrl(page),
        frameOrigins: page?.frame_origins ?? [],
        secure,
      };
      return paymentPageAnswer(status, pageOf(sheet), framed, headers["accept-encoding"]);
    },
    body: (sheet, body, headers, more = { formsLeadAway: false }) =>
      paymentPageAnswer(
        200,
        sessionPage(sheet, body),
        { ...framing(sheet), ...more },
        headers["accept-encoding"],
      ),
    trouble(status, trouble, { headers, backPath, more = {} }) {
      const here = place(backPath ?? "");
      const page = plainPage(here, wordsOf(headers), troubleBody(wordsOf(headers), trouble, backPath));
      const framed = { nonce: here.nonce, logoUrl: null, frameOrigins: [], secure };
      return paymentPageAnswer(status, page, framed, headers["accept-encoding"], more);
    },
  };
}

function merchantWords(
  row: MerchantRow,
  { chosen, headers }: Pick<SheetAt, "chosen" | "headers">,
): PageWords {
  const language = languageOf({
    chosen,
    sessionLocale: null,
    acceptLanguage: headers["accept-language"]?.toString(),
    pageLocale: row.page?.locale ?? null,
    country: row.country,
    merchantLocale: row.default_locale,
  });
  return wordsIn(language, row.country);
}

/** The texts of a page without a session, in the browser's language. */
function wordsOf(headers: Headers): PageWords {
  const acceptLanguage = headers["accept-language"]?.toString();
  const language = languageOf({
    acceptLanguage,
    chosen: undefined,
    sessionLocale: null,
    pageLocale: null,
    country: null,
    merchantLocale: null,
  });
  return wordsIn(language, null);
}
