/** Messages in French. */
import type { MessageTexts } from "./texts.ts";

export const fr: MessageTexts = {
  greeting: "Bonjour {name},",
  greetingUnnamed: "Bonjour,",
  mandateSubject: "Votre mandat de prélèvement SEPA pour {creditor}",
  mandateText:
    "Merci. Vous avez donné à {creditor} un mandat de prélèvement SEPA. Il est joint à ce message ; veuillez le conserver.",
  debitDay: "Débité au plus tôt le",
  noticeSubject: "Prélèvement de {amount} le {date}",
  noticeText:
    "{creditor} prélèvera {amount} sur votre compte le {date}, ou le premier jour ouvré bancaire suivant. Veillez à ce que le compte soit suffisamment approvisionné.",
  noticeRepeats:
    "Ensuite {amount} {interval}. Nous vous informerons de nouveau si le montant, le jour ou le mandat change.",
  receiptSubject: "Reçu : {amount} à {creditor}",
  receiptText: "{creditor} a reçu votre paiement de {amount}. Merci.",
  failedSubject: "Votre paiement de {amount} à {creditor} n’a pas été effectué",
  failedText: "Votre banque n’a pas exécuté le prélèvement de {amount} pour {creditor}.",
  failedAgain:
    "Une nouvelle tentative aura lieu le {date}. Veillez à ce que le compte soit alors suffisamment approvisionné.",
  failedEnd: "Il n’y aura pas de nouvelle tentative automatique. Demandez à {creditor} comment payer.",
  failedPay: "Une fois la cause réglée, vous pouvez demander ici un nouveau prélèvement :",
  returnedSubject: "Votre paiement de {amount} à {creditor} a été retourné",
  returnedText:
    "Votre banque a retourné le prélèvement de {amount} de {creditor} : l’argent est de nouveau sur votre compte.",
  returnedByYou: "Votre banque indique que vous l’avez demandé.",
  returnedEnd: "Si vous devez encore ce montant, demandez à {creditor} comment payer.",
  bankCode: "Code de la banque",
};
