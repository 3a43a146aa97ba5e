/** Messages in Greek. */
import type { MessageTexts } from "./texts.ts";

export const el: MessageTexts = {
  greeting: "Γεια σας, {name},",
  greetingUnnamed: "Γεια σας,",
  mandateSubject: "Η εντολή σας άμεσης χρέωσης SEPA: {creditor}",
  mandateText:
    "Ευχαριστούμε. Δώσατε εντολή άμεσης χρέωσης SEPA. Δικαιούχος: {creditor}. Η εντολή επισυνάπτεται· παρακαλούμε φυλάξτε την.",
  debitDay: "Χρέωση όχι πριν από",
  noticeSubject: "Άμεση χρέωση {amount} στις {date}",
  noticeText:
    "Ο λογαριασμός σας θα χρεωθεί με {amount} στις {date} ή την πρώτη επόμενη εργάσιμη ημέρα των τραπεζών. Δικαιούχος: {creditor}. Παρακαλούμε φροντίστε να υπάρχει επαρκές υπόλοιπο.",
  noticeRepeats:
    "Στη συνέχεια {amount} {interval}. Θα ενημερωθείτε ξανά αν αλλάξει το ποσό, η ημέρα ή η εντολή.",
  receiptSubject: "Απόδειξη: {amount}, {creditor}",
  receiptText: "Η πληρωμή σας ύψους {amount} παραλήφθηκε από: {creditor}. Ευχαριστούμε.",
  failedSubject: "Η πληρωμή σας ύψους {amount} δεν έγινε: {creditor}",
  failedText: "Η τράπεζά σας δεν εκτέλεσε την άμεση χρέωση ύψους {amount}. Δικαιούχος: {creditor}.",
  failedAgain:
    "Θα γίνει νέα προσπάθεια στις {date}. Παρακαλούμε φροντίστε να υπάρχει έως τότε επαρκές υπόλοιπο.",
  failedEnd: "Δεν θα γίνει νέα προσπάθεια αυτόματα. Για τον τρόπο πληρωμής απευθυνθείτε σε: {creditor}.",
  failedPay: "Μόλις αντιμετωπιστεί η αιτία, μπορείτε να ζητήσετε εδώ να χρεωθεί ξανά το ποσό:",
  returnedSubject: "Η πληρωμή σας ύψους {amount} επιστράφηκε: {creditor}",
  returnedText:
    "Η τράπεζά σας επέστρεψε την άμεση χρέωση ύψους {amount}. Δικαιούχος: {creditor}. Τα χρήματα βρίσκονται πάλι στον λογαριασμό σας.",
  returnedByYou: "Η τράπεζά σας αναφέρει ότι το ζητήσατε εσείς.",
  returnedEnd: "Αν οφείλετε ακόμη το ποσό, για τον τρόπο πληρωμής απευθυνθείτε σε: {creditor}.",
  bankCode: "Κωδικός της τράπεζας",
};
