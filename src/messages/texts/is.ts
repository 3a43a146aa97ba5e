/** Messages in Icelandic. */
import type { MessageTexts } from "./texts.ts";

export const is: MessageTexts = {
  greeting: "Góðan dag, {name}.",
  greetingUnnamed: "Góðan dag.",
  mandateSubject: "Umboð þitt fyrir SEPA-beingreiðslu: {creditor}",
  mandateText:
    "Takk fyrir. Þú hefur veitt umboð fyrir SEPA-beingreiðslu. Viðtakandi: {creditor}. Umboðið er í viðhengi; vinsamlegast geymdu það.",
  debitDay: "Skuldfært í fyrsta lagi",
  noticeSubject: "Beingreiðsla {amount}, {date}",
  noticeText:
    "{creditor} skuldfærir {amount} af reikningnum þínum. Dagur: {date} eða fyrsti bankadagur þar á eftir. Vinsamlegast gættu þess að næg innstæða sé á reikningnum.",
  noticeRepeats:
    "Eftir það {amount} {interval}. Þú færð aftur tilkynningu ef upphæðin, dagurinn eða umboðið breytist.",
  receiptSubject: "Kvittun: {amount}, {creditor}",
  receiptText: "{creditor} hefur móttekið greiðsluna þína, {amount}. Takk fyrir.",
  failedSubject: "Greiðslan þín, {amount}, fór ekki fram: {creditor}",
  failedText: "Bankinn þinn framkvæmdi ekki beingreiðsluna, {amount}. Viðtakandi: {creditor}.",
  failedAgain: "Reynt verður aftur: {date}. Vinsamlegast gættu þess að þá sé næg innstæða á reikningnum.",
  failedEnd:
    "Ekki verður reynt aftur sjálfkrafa. Hafðu samband til að spyrja hvernig hægt er að greiða: {creditor}.",
  failedPay: "Þegar orsökin hefur verið leyst getur þú látið skuldfæra upphæðina aftur hér:",
  returnedSubject: "Greiðslan þín, {amount}, var endursend: {creditor}",
  returnedText:
    "Bankinn þinn hefur endursent beingreiðsluna, {amount}. Viðtakandi: {creditor}. Peningarnir eru aftur á reikningnum þínum.",
  returnedByYou: "Bankinn segir að þú hafir beðið um það.",
  returnedEnd:
    "Ef þú skuldar upphæðina enn, hafðu samband til að spyrja hvernig hægt er að greiða: {creditor}.",
  bankCode: "Kóði bankans",
};
