/** Messages in Maltese. */
import type { MessageTexts } from "./texts.ts";

export const mt: MessageTexts = {
  greeting: "Bonġu {name},",
  greetingUnnamed: "Bonġu,",
  mandateSubject: "Il-mandat tiegħek għal debitu dirett SEPA: {creditor}",
  mandateText:
    "Grazzi. Tajt lil {creditor} mandat għal debitu dirett SEPA. Il-mandat huwa mehmuż; jekk jogħġbok żommu.",
  debitDay: "Jiġi ddebitat mhux qabel",
  noticeSubject: "Debitu dirett ta’ {amount}, {date}",
  noticeText:
    "{creditor} se jiddebita {amount} mill-kont tiegħek. Data: {date}, jew l-ewwel jum tax-xogħol tal-banek warajha. Jekk jogħġbok kun żgur li jkun hemm biżżejjed flus fil-kont.",
  noticeRepeats:
    "Wara dan {amount} {interval}. Nerġgħu navżawk jekk jinbidel l-ammont, il-jum jew il-mandat.",
  receiptSubject: "Riċevuta: {amount} lil {creditor}",
  receiptText: "{creditor} irċieva l-ħlas tiegħek ta’ {amount}. Grazzi.",
  failedSubject: "Il-ħlas tiegħek ta’ {amount} lil {creditor} ma sarx",
  failedText: "Il-bank tiegħek ma wettaqx id-debitu dirett ta’ {amount} għal {creditor}.",
  failedAgain:
    "Issir prova oħra. Data: {date}. Jekk jogħġbok kun żgur li sa dakinhar ikun hemm biżżejjed flus fil-kont.",
  failedEnd: "Ma ssirx prova oħra awtomatikament. Staqsi lil {creditor} kif tista’ tħallas.",
  failedPay: "Meta l-kawża tkun solvuta, tista’ titlob li l-ammont jiġi ddebitat mill-ġdid hawn:",
  returnedSubject: "Il-ħlas tiegħek ta’ {amount} lil {creditor} ġie rritornat",
  returnedText:
    "Il-bank tiegħek irritorna d-debitu dirett ta’ {amount} ta’ {creditor}: il-flus reġgħu fil-kont tiegħek.",
  returnedByYou: "Il-bank tiegħek jgħid li tlabtu int.",
  returnedEnd: "Jekk għadek trid tħallas l-ammont, staqsi lil {creditor} kif tista’ tħallas.",
  bankCode: "Kodiċi tal-bank",
};
