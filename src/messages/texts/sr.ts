/** Messages in Serbian. */
import type { MessageTexts } from "./texts.ts";

export const sr: MessageTexts = {
  greeting: "Добар дан, {name},",
  greetingUnnamed: "Добар дан,",
  mandateSubject: "Ваше овлашћење за SEPA директно задужење: {creditor}",
  mandateText:
    "Хвала вам. Дали сте овлашћење за SEPA директно задужење. Поверилац: {creditor}. Овлашћење је у прилогу; молимо вас да га сачувате.",
  debitDay: "Задужење најраније",
  noticeSubject: "Директно задужење {amount}, {date}",
  noticeText:
    "{creditor} ће задужити ваш рачун за {amount}. Датум: {date} или први наредни банкарски радни дан. Молимо вас да обезбедите довољно средстава на рачуну.",
  noticeRepeats:
    "Након тога {amount} {interval}. Поново ћемо вас обавестити ако се промени износ, дан или овлашћење.",
  receiptSubject: "Потврда: {amount}, {creditor}",
  receiptText: "Вашу уплату у износу од {amount} примио је {creditor}. Хвала вам.",
  failedSubject: "Ваше плаћање од {amount} није извршено: {creditor}",
  failedText: "Ваша банка није извршила директно задужење од {amount}. Поверилац: {creditor}.",
  failedAgain: "Нови покушај: {date}. Молимо вас да до тада обезбедите довољно средстава на рачуну.",
  failedEnd: "Новог аутоматског покушаја неће бити. О начину плаћања обратите се трговцу {creditor}.",
  failedPay: "Када узрок буде отклоњен, овде можете да затражите поновно задужење:",
  returnedSubject: "Ваше плаћање од {amount} је враћено: {creditor}",
  returnedText:
    "Ваша банка је вратила директно задужење од {amount}. Поверилац: {creditor}. Новац је поново на вашем рачуну.",
  returnedByYou: "Ваша банка наводи да сте то затражили ви.",
  returnedEnd: "Ако износ још дугујете, о начину плаћања обратите се трговцу {creditor}.",
  bankCode: "Ознака банке",
};
