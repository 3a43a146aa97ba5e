/** Messages in Luxembourgish. */
import type { MessageTexts } from "./texts.ts";

export const lb: MessageTexts = {
  greeting: "Moien {name},",
  greetingUnnamed: "Moien,",
  mandateSubject: "Äert Mandat fir eng SEPA-Domiciliatioun: {creditor}",
  mandateText:
    "Merci. Dir hutt {creditor} e Mandat fir eng SEPA-Domiciliatioun ginn. Et läit dësem Message bäi; haalt et w.e.g. gutt op.",
  debitDay: "Belaascht deen Dag oder duerno",
  noticeSubject: "Domiciliatioun vun {amount}, {date}",
  noticeText:
    "{creditor} zitt {amount} vun Ärem Kont an. Datum: {date}, oder den éischte Bankaarbechtsdag duerno. Suergt w.e.g. dofir, datt genuch Geld um Kont ass.",
  noticeRepeats:
    "Duerno {amount} {interval}. Dir kritt erëm Bescheed, wann de Betrag, den Dag oder d’Mandat ännert.",
  receiptSubject: "Quittung: {amount} fir {creditor}",
  receiptText: "{creditor} huet Är Bezuelung vun {amount} kritt. Merci.",
  failedSubject: "Är Bezuelung vun {amount} fir {creditor} gouf net gemaach",
  failedText: "Är Bank huet d’Domiciliatioun vun {amount} fir {creditor} net ausgefouert.",
  failedAgain:
    "Et gëtt nach eng Kéier probéiert. Datum: {date}. Suergt w.e.g. dofir, datt dann genuch Geld um Kont ass.",
  failedEnd:
    "Et gëtt net vum selwen nach eng Kéier probéiert. Frot w.e.g. bei {creditor} no, wéi Dir bezuele kënnt.",
  failedPay: "Soubal d’Ursaach behuewen ass, kënnt Dir de Betrag hei nach eng Kéier anzéie loossen:",
  returnedSubject: "Är Bezuelung vun {amount} fir {creditor} gouf zréckgeschéckt",
  returnedText:
    "Är Bank huet d’Domiciliatioun vun {amount} fir {creditor} zréckgeschéckt: d’Geld ass erëm op Ärem Kont.",
  returnedByYou: "Är Bank seet, datt Dir dat gefrot hutt.",
  returnedEnd: "Wann Dir de Betrag nach schëlleg sidd, frot w.e.g. bei {creditor} no, wéi Dir bezuele kënnt.",
  bankCode: "Code vun der Bank",
};
