/** Messages in Albanian. */
import type { MessageTexts } from "./texts.ts";

export const sq: MessageTexts = {
  greeting: "Përshëndetje {name},",
  greetingUnnamed: "Përshëndetje,",
  mandateSubject: "Mandati juaj i debitimit direkt SEPA për {creditor}",
  mandateText:
    "Faleminderit. I keni dhënë {creditor} një mandat debitimi direkt SEPA. Është bashkëngjitur; ju lutemi, ruajeni.",
  debitDay: "Debitohet jo më herët se",
  noticeSubject: "Debitim direkt prej {amount} më {date}",
  noticeText:
    "{creditor} do të debitojë {amount} nga llogaria juaj më {date}, ose ditën e parë të punës së bankave pas saj. Ju lutemi, sigurohuni që në llogari të ketë mjete të mjaftueshme.",
  noticeRepeats:
    "Pastaj {amount} {interval}. Do t’ju njoftojmë përsëri nëse ndryshon shuma, dita ose mandati.",
  receiptSubject: "Dëftesë: {amount} për {creditor}",
  receiptText: "{creditor} e ka marrë pagesën tuaj prej {amount}. Faleminderit.",
  failedSubject: "Pagesa juaj prej {amount} për {creditor} nuk u krye",
  failedText: "Banka juaj nuk e ekzekutoi debitimin direkt prej {amount} për {creditor}.",
  failedAgain:
    "Do të provohet përsëri më {date}. Ju lutemi, sigurohuni që deri atëherë në llogari të ketë mjete të mjaftueshme.",
  failedEnd: "Nuk do të provohet përsëri automatikisht. Ju lutemi, pyesni {creditor} si mund të paguani.",
  failedPay: "Pasi të jetë zgjidhur shkaku, këtu mund të kërkoni që shuma të debitohet përsëri:",
  returnedSubject: "Pagesa juaj prej {amount} për {creditor} u kthye",
  returnedText:
    "Banka juaj e ka kthyer debitimin direkt prej {amount} për {creditor}: paratë janë sërish në llogarinë tuaj.",
  returnedByYou: "Banka juaj thotë se e keni kërkuar ju.",
  returnedEnd: "Nëse e keni ende detyrim shumën, ju lutemi, pyesni {creditor} si mund të paguani.",
  bankCode: "Kodi i bankës",
};
