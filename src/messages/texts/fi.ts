/** Messages in Finnish. */
import type { MessageTexts } from "./texts.ts";

export const fi: MessageTexts = {
  greeting: "Hei {name},",
  greetingUnnamed: "Hei,",
  mandateSubject: "SEPA-suoraveloitusvaltuutuksesi: {creditor}",
  mandateText:
    "Kiitos. Olet antanut SEPA-suoraveloitusvaltuutuksen. Saaja: {creditor}. Valtuutus on liitteenä; säilytä se.",
  debitDay: "Veloitus aikaisintaan",
  noticeSubject: "Suoraveloitus {amount}, {date}",
  noticeText:
    "{creditor} veloittaa tililtäsi {amount}. Veloituspäivä: {date} tai sitä seuraava ensimmäinen pankkipäivä. Varmista, että tilillä on riittävästi rahaa.",
  noticeRepeats:
    "Sen jälkeen {amount} {interval}. Saat uuden ilmoituksen, jos summa, päivä tai valtuutus muuttuu.",
  receiptSubject: "Kuitti: {amount}, {creditor}",
  receiptText: "{creditor} on saanut maksusi, {amount}. Kiitos.",
  failedSubject: "Maksuasi {amount} ei suoritettu: {creditor}",
  failedText: "Pankkisi ei toteuttanut suoraveloitusta, {amount}. Saaja: {creditor}.",
  failedAgain: "Uusi yritys tehdään {date}. Varmista, että tilillä on silloin riittävästi rahaa.",
  failedEnd: "Uutta yritystä ei tehdä automaattisesti. Kysy maksutavasta: {creditor}.",
  failedPay: "Kun syy on korjattu, voit pyytää uuden veloituksen täällä:",
  returnedSubject: "Maksusi {amount} palautettiin: {creditor}",
  returnedText:
    "Pankkisi on palauttanut suoraveloituksen, {amount}. Saaja: {creditor}. Rahat ovat taas tililläsi.",
  returnedByYou: "Pankkisi mukaan pyysit palautusta itse.",
  returnedEnd: "Jos summa on vielä maksamatta, kysy maksutavasta: {creditor}.",
  bankCode: "Pankin koodi",
};
