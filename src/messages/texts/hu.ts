/** Messages in Hungarian. */
import type { MessageTexts } from "./texts.ts";

export const hu: MessageTexts = {
  greeting: "Tisztelt {name}!",
  greetingUnnamed: "Tisztelt Ügyfelünk!",
  mandateSubject: "Az Ön SEPA-beszedési felhatalmazása: {creditor}",
  mandateText:
    "Köszönjük. Ön SEPA-beszedési felhatalmazást adott. Kedvezményezett: {creditor}. A felhatalmazást mellékeljük; kérjük, őrizze meg.",
  debitDay: "Terhelés legkorábban",
  noticeSubject: "Beszedés: {amount}, {date}",
  noticeText:
    "{creditor} {amount} összeggel terheli meg a számláját. A terhelés napja: {date}, vagy az azt követő első banki munkanap. Kérjük, gondoskodjon elegendő fedezetről.",
  noticeRepeats:
    "Ezután {amount} {interval}. Újra értesítjük, ha az összeg, a nap vagy a felhatalmazás megváltozik.",
  receiptSubject: "Bizonylat: {amount}, {creditor}",
  receiptText: "A fizetését ({amount}) megkapta: {creditor}. Köszönjük.",
  failedSubject: "A fizetése ({amount}) nem jött létre: {creditor}",
  failedText: "Az Ön bankja nem teljesítette a beszedést ({amount}). Kedvezményezett: {creditor}.",
  failedAgain: "Az újabb kísérlet napja: {date}. Kérjük, addig gondoskodjon elegendő fedezetről.",
  failedEnd: "Automatikusan nem lesz újabb kísérlet. A fizetés módjáról itt érdeklődhet: {creditor}.",
  failedPay: "Ha az ok megszűnt, itt kérheti az összeg újbóli beszedését:",
  returnedSubject: "A fizetését ({amount}) visszaküldték: {creditor}",
  returnedText:
    "Az Ön bankja visszaküldte a beszedést ({amount}). Kedvezményezett: {creditor}. A pénz ismét a számláján van.",
  returnedByYou: "A bank szerint ezt Ön kérte.",
  returnedEnd: "Ha az összeggel még tartozik, a fizetés módjáról itt érdeklődhet: {creditor}.",
  bankCode: "A bank kódja",
};
