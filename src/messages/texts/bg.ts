/** Messages in Bulgarian. */
import type { MessageTexts } from "./texts.ts";

export const bg: MessageTexts = {
  greeting: "Здравейте, {name}!",
  greetingUnnamed: "Здравейте!",
  mandateSubject: "Вашето съгласие за директен дебит SEPA за {creditor}",
  mandateText:
    "Благодарим. Дадохте на {creditor} съгласие за директен дебит SEPA. То е приложено към това съобщение; моля, запазете го.",
  debitDay: "Задължаване не по-рано от",
  noticeSubject: "Директен дебит на {amount} на {date}",
  noticeText:
    "{creditor} ще задължи сметката Ви с {amount} на {date} или в първия следващ банков работен ден. Моля, осигурете достатъчна наличност по сметката.",
  noticeRepeats:
    "След това {amount} {interval}. Ще Ви уведомим отново, ако се промени сумата, денят или съгласието.",
  receiptSubject: "Разписка: {amount} към {creditor}",
  receiptText: "{creditor} получи Вашето плащане от {amount}. Благодарим.",
  failedSubject: "Вашето плащане от {amount} към {creditor} не беше извършено",
  failedText: "Вашата банка не изпълни директния дебит от {amount} за {creditor}.",
  failedAgain:
    "Ще бъде направен нов опит на {date}. Моля, дотогава осигурете достатъчна наличност по сметката.",
  failedEnd:
    "Няма да бъде направен нов автоматичен опит. Моля, обърнете се към {creditor}, за да разберете как да платите.",
  failedPay: "След като причината бъде отстранена, тук можете да поискате сумата да бъде събрана отново:",
  returnedSubject: "Вашето плащане от {amount} към {creditor} беше върнато",
  returnedText:
    "Вашата банка върна директния дебит от {amount} за {creditor}: парите отново са по сметката Ви.",
  returnedByYou: "Според Вашата банка това е станало по Ваше искане.",
  returnedEnd: "Ако все още дължите сумата, обърнете се към {creditor}, за да разберете как да платите.",
  bankCode: "Код на банката",
};
