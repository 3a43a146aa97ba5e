/** Messages in Lithuanian. */
import type { MessageTexts } from "./texts.ts";

export const lt: MessageTexts = {
  greeting: "Sveiki, {name},",
  greetingUnnamed: "Sveiki,",
  mandateSubject: "Jūsų sutikimas dėl SEPA tiesioginio debeto: {creditor}",
  mandateText:
    "Dėkojame. Davėte sutikimą dėl SEPA tiesioginio debeto. Gavėjas: {creditor}. Sutikimas pridedamas; prašome jį išsaugoti.",
  debitDay: "Nurašoma ne anksčiau kaip",
  noticeSubject: "Tiesioginis debetas: {amount}, {date}",
  noticeText:
    "{creditor} nurašys {amount} iš jūsų sąskaitos. Diena: {date} arba pirma po jos einanti bankų darbo diena. Prašome pasirūpinti, kad sąskaitoje pakaktų lėšų.",
  noticeRepeats: "Vėliau {amount} {interval}. Pranešime dar kartą, jei pasikeis suma, diena arba sutikimas.",
  receiptSubject: "Kvitas: {amount}, {creditor}",
  receiptText: "{creditor} gavo jūsų mokėjimą: {amount}. Ačiū.",
  failedSubject: "Jūsų mokėjimas {amount} neatliktas: {creditor}",
  failedText: "Jūsų bankas neįvykdė tiesioginio debeto: {amount}. Gavėjas: {creditor}.",
  failedAgain: "Kitas bandymas: {date}. Prašome iki tol pasirūpinti, kad sąskaitoje pakaktų lėšų.",
  failedEnd: "Automatiškai daugiau nebus bandoma. Dėl mokėjimo būdo kreipkitės: {creditor}.",
  failedPay: "Kai priežastis bus pašalinta, čia galite leisti nurašyti sumą dar kartą:",
  returnedSubject: "Jūsų mokėjimas {amount} grąžintas: {creditor}",
  returnedText:
    "Jūsų bankas grąžino tiesioginį debetą: {amount}. Gavėjas: {creditor}. Pinigai vėl jūsų sąskaitoje.",
  returnedByYou: "Bankas nurodo, kad to prašėte jūs.",
  returnedEnd: "Jei vis dar esate skolingi, dėl mokėjimo būdo kreipkitės: {creditor}.",
  bankCode: "Banko kodas",
};
