/** Messages in Irish. */
import type { MessageTexts } from "./texts.ts";

export const ga: MessageTexts = {
  greeting: "A {name}, a chara,",
  greetingUnnamed: "A chara,",
  mandateSubject: "Do shainordú dochair dhírigh SEPA do {creditor}",
  mandateText:
    "Go raibh maith agat. Thug tú sainordú dochair dhírigh SEPA do {creditor}. Tá sé ceangailte leis an teachtaireacht seo; coinnigh é, le do thoil.",
  debitDay: "Dochar nach luaithe ná",
  noticeSubject: "Dochar díreach {amount} an {date}",
  noticeText:
    "Bainfidh {creditor} {amount} as do chuntas an {date}, nó an chéad lá oibre bainc ina dhiaidh sin. Cinntigh go bhfuil go leor airgid sa chuntas.",
  noticeRepeats:
    "Ina dhiaidh sin {amount} {interval}. Cuirfear in iúl duit arís é má athraíonn an méid, an lá nó an sainordú.",
  receiptSubject: "Admháil: {amount} do {creditor}",
  receiptText: "Fuair {creditor} d’íocaíocht {amount}. Go raibh maith agat.",
  failedSubject: "Ní dhearnadh d’íocaíocht {amount} le {creditor}",
  failedText: "Níor chuir do bhanc an dochar díreach {amount} do {creditor} i gcrích.",
  failedAgain: "Déanfar iarracht eile an {date}. Cinntigh go mbeidh go leor airgid sa chuntas faoin am sin.",
  failedEnd: "Ní dhéanfar iarracht eile go huathoibríoch. Fiafraigh de {creditor} conas íoc.",
  failedPay: "Nuair a bheidh an chúis réitithe, is féidir leat an méid a bhaint arís anseo:",
  returnedSubject: "Cuireadh d’íocaíocht {amount} le {creditor} ar ais",
  returnedText:
    "Chuir do bhanc an dochar díreach {amount} do {creditor} ar ais: tá an t-airgead ar ais i do chuntas.",
  returnedByYou: "Deir do bhanc gur iarr tú féin é.",
  returnedEnd: "Má tá an méid fós le híoc agat, fiafraigh de {creditor} conas íoc.",
  bankCode: "Cód an bhainc",
};
