/** Messages in Turkish. */
import type { MessageTexts } from "./texts.ts";

export const tr: MessageTexts = {
  greeting: "Merhaba {name},",
  greetingUnnamed: "Merhaba,",
  mandateSubject: "{creditor} için SEPA doğrudan borçlandırma yetki belgeniz",
  mandateText:
    "Teşekkür ederiz. SEPA doğrudan borçlandırma yetkisi verdiniz. Alacaklı: {creditor}. Yetki belgesi ektedir; lütfen saklayın.",
  debitDay: "En erken borçlandırma",
  noticeSubject: "Doğrudan borçlandırma: {amount}, {date}",
  noticeText:
    "{creditor} hesabınızı {amount} tutarında borçlandıracak. Tarih: {date} veya bankaların bunu izleyen ilk iş günü. Lütfen hesabınızda yeterli bakiye bulundurun.",
  noticeRepeats:
    "Daha sonra {amount} {interval}. Tutar, gün veya yetki değişirse size yeniden haber veririz.",
  receiptSubject: "Makbuz: {amount}, {creditor}",
  receiptText: "{creditor}, {amount} tutarındaki ödemenizi aldı. Teşekkür ederiz.",
  failedSubject: "{amount} tutarındaki ödemeniz yapılmadı: {creditor}",
  failedText: "Bankanız {amount} tutarındaki doğrudan borçlandırmayı gerçekleştirmedi. Alacaklı: {creditor}.",
  failedAgain: "Yeniden deneme tarihi: {date}. Lütfen o zamana kadar hesabınızda yeterli bakiye bulundurun.",
  failedEnd:
    "Otomatik olarak yeniden denenmeyecek. Nasıl ödeyebileceğinizi öğrenmek için başvurun: {creditor}.",
  failedPay: "Neden giderildiğinde tutarın yeniden borçlandırılmasını buradan isteyebilirsiniz:",
  returnedSubject: "{amount} tutarındaki ödemeniz iade edildi: {creditor}",
  returnedText:
    "Bankanız {amount} tutarındaki doğrudan borçlandırmayı geri çevirdi. Alacaklı: {creditor}. Para yeniden hesabınızda.",
  returnedByYou: "Bankanız bunu sizin istediğinizi belirtiyor.",
  returnedEnd: "Tutarı hâlâ borçluysanız nasıl ödeyebileceğinizi öğrenmek için başvurun: {creditor}.",
  bankCode: "Bankanın kodu",
};
