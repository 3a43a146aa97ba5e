/** Messages in Czech. */
import type { MessageTexts } from "./texts.ts";

export const cs: MessageTexts = {
  greeting: "Dobrý den, {name},",
  greetingUnnamed: "Dobrý den,",
  mandateSubject: "Váš mandát k inkasu SEPA: {creditor}",
  mandateText:
    "Děkujeme. Udělili jste mandát k inkasu SEPA. Příjemce: {creditor}. Mandát najdete v příloze; uschovejte si ho, prosím.",
  debitDay: "Odepsání nejdříve",
  noticeSubject: "Inkaso {amount} dne {date}",
  noticeText:
    "{creditor} strhne {amount} z vašeho účtu dne {date}, nebo první následující bankovní pracovní den. Zajistěte prosím na účtu dostatek prostředků.",
  noticeRepeats: "Poté {amount} {interval}. Znovu se ozveme, pokud se změní částka, den nebo mandát.",
  receiptSubject: "Potvrzení: {amount}, {creditor}",
  receiptText: "Vaši platbu ve výši {amount} přijal {creditor}. Děkujeme.",
  failedSubject: "Vaše platba {amount} se neuskutečnila: {creditor}",
  failedText: "Vaše banka neprovedla inkaso ve výši {amount}. Příjemce: {creditor}.",
  failedAgain: "Inkaso se zopakuje dne {date}. Zajistěte prosím do té doby na účtu dostatek prostředků.",
  failedEnd: "Inkaso se už automaticky nezopakuje. Na způsob platby se prosím zeptejte příjemce: {creditor}.",
  failedPay: "Až bude příčina odstraněna, můžete si zde nechat částku strhnout znovu:",
  returnedSubject: "Vaše platba {amount} byla vrácena: {creditor}",
  returnedText:
    "Vaše banka vrátila inkaso ve výši {amount}. Příjemce: {creditor}. Peníze jsou zpět na vašem účtu.",
  returnedByYou: "Banka uvádí, že jste o to požádali.",
  returnedEnd: "Pokud částku stále dlužíte, zeptejte se prosím na způsob platby příjemce: {creditor}.",
  bankCode: "Kód banky",
};
