/** The payment page in Albanian. */
import type { Texts } from "./texts.ts";

export const sq: Texts = {
  title: "Pagesë për {merchant}",
  language: "Gjuha",
  changeLanguage: "Ndrysho",
  testMode: "Modaliteti i testimit: nuk lëvizin para.",

  payTo: "Pagesë për {merchant}",
  dueToday: "Për t’u paguar sot",
  nothingDueToday: "Sot nuk ka asgjë për të paguar.",
  trial: "Periudha e provës: {duration}",
  thenEveryFrom: "Pastaj {amount} {interval} (pagesa e parë: {date}).",
  thenEvery: "Pastaj {amount} {interval}.",
  thenOnDemand: "{merchant} mund të arkëtojë pagesa të tjera, sipas marrëveshjes me ju.",
  every: {
    WEEKLY: "çdo javë",
    BIWEEKLY: "çdo dy javë",
    MONTHLY: "çdo muaj",
    QUARTERLY: "çdo tre muaj",
    SEMIANNUALLY: "çdo gjashtë muaj",
    YEARLY: "çdo vit",
  },

  formHeading: "Paguani me debitim direkt SEPA",
  ibanLabel: "IBAN",
  ibanHint: "IBAN-i ({country}) ka {count} karaktere dhe fillon me {code}.",
  holderLabel: "Mbajtësi i llogarisë",
  holderHint: "Siç shkruhet në nxjerrjen tuaj bankare.",
  addressHint: "Banka juaj është jashtë Zonës Ekonomike Evropiane dhe kërkon adresën tuaj.",
  streetLabel: "Rruga dhe numri",
  postalCodeLabel: "Kodi postar",
  cityLabel: "Qyteti",
  mandateHeading: "Mandati i debitimit direkt SEPA",
  // What the mandate says, to mandateImplicit: a change raises TEXT_VERSIONS in ../mandate-text.ts.
  mandateAuthorise:
    "Ju autorizoni {creditor} t’i dërgojë bankës suaj udhëzime për debitimin e llogarisë suaj, si dhe bankën tuaj ta debitojë llogarinë tuaj sipas udhëzimeve që jep {creditor}.",
  mandateRefund:
    "Keni të drejtë të rimbursoheni nga banka juaj sipas kushteve të marrëveshjes që keni me të. Rimbursimin duhet ta kërkoni brenda 8 javëve nga dita kur është debituar llogaria juaj.",
  businessHeading: "Mandati i debitimit direkt SEPA ndërmjet bizneseve (B2B)",
  businessTerms:
    "Ky mandat vlen vetëm për pagesa ndërmjet bizneseve. Pasi llogaria juaj të jetë debituar, nuk keni të drejtë të rimbursoheni nga banka juaj, por deri në ditën e afatit të pagesës mund t’i kërkoni bankës të mos e debitojë llogarinë tuaj.",
  mandateRecurring: "Ky mandat vlen për pagesa të përsëritura.",
  mandateOneOff: "Ky mandat vlen për një pagesë të vetme.",
  creditor: "Kreditori",
  creditorIdentifier: "Identifikuesi i kreditorit",
  mandateReference: "Referenca e mandatit",
  mandateAccept: "E pranoj këtë mandat të debitimit direkt SEPA.",
  mandateImplicit: "Duke zgjedhur “{button}”, ju e pranoni këtë mandat.",
  payButton: "Paguani {amount}",
  signButton: "Nënshkruani mandatin",
  sending: "Pagesa juaj po dërgohet…",
  bankFound: "Banka juaj: {bank}",

  errorSummary: "Ju lutemi, kontrolloni të dhënat që keni shënuar.",
  ibanMissing: "Shënoni IBAN-in tuaj.",
  ibanCharacters: "IBAN-i përmban vetëm shkronjat nga A deri në Z dhe shifra.",
  ibanCountry: "IBAN-i fillon me dy shkronjat e shtetit të tij, për shembull DE ose FR.",
  ibanOutsideSepa:
    "Kjo llogari është në një shtet ku debitimi direkt SEPA nuk ofrohet. Përdorni një llogari tjetër.",
  ibanLength: "IBAN-i ({country}) ka {expected} karaktere; ky ka {actual}.",
  ibanStructure:
    "Në këtë IBAN ka një shkronjë aty ku duhet një shifër, ose një shifër aty ku duhet një shkronjë.",
  ibanChecksum: "Ky IBAN ka një gabim shkrimi. Krahasojeni me kartën ose me nxjerrjen tuaj bankare.",
  ibanTypedEnding: "Ajo që keni shënuar mbaronte me {ending}.",
  holderMissing: "Shënoni emrin e mbajtësit të llogarisë.",
  holderTooLong: "Emri mund të ketë deri në 255 karaktere.",
  cityMissing: "Shkruani qytetin tuaj.",
  mandateMissing: "Shënoni kutinë për të pranuar mandatin.",

  declinedHeading: "Pagesa u refuzua",
  reasons: {
    insufficient_funds: "Në llogari nuk ka para të mjaftueshme.",
    invalid_iban: "Banka juaj nuk e njeh këtë llogari. Kontrolloni IBAN-in.",
    mandate_rejected: "Mandati nuk u konfirmua.",
    account_closed: "Kjo llogari është mbyllur.",
    do_not_honor: "Banka juaj nuk e lejon këtë debitim direkt.",
    gateway_unavailable:
      "Lidhja me bankën nuk u arrit. Nuk është tërhequr asnjë shumë. Ju lutemi, provoni përsëri.",
    unknown: "Banka juaj nuk dha asnjë arsye.",
  },
  attemptsLeft: {
    one: "Ju ka mbetur edhe {count} përpjekje.",
    other: "Ju kanë mbetur edhe {count} përpjekje.",
  },

  processingHeading: "Pagesa juaj po përpunohet",
  processingText: "Kjo zgjat disa sekonda. Ju lutemi, mos paguani përsëri; kjo faqe e shfaq vetë rezultatin.",
  unclearHeading: "Po presim bankën",
  unclearText:
    "Banka ende nuk është përgjigjur, prandaj pagesa juaj mund të jetë kryer tashmë. Ju lutemi, mos paguani përsëri. Kjo faqe e shfaq rezultatin sapo të dihet, dhe për të njoftohet edhe {merchant}.",
  verifyHeading: "Konfirmoni pagesën te banka juaj",
  verifyText: "Banka juaj ju kërkon ta konfirmoni mandatin. Më pas ktheheni në këtë faqe.",
  verifyLink: "Vazhdoni te banka juaj",
  verifyDone: "E kam konfirmuar",
  verifyNotYet: "Banka juaj ende nuk e ka marrë konfirmimin tuaj.",
  verifiedElsewhere: "Faleminderit. Tani {merchant} e përfundon pagesën tuaj; mund ta mbyllni këtë faqe.",
  refresh: "Shfaq gjendjen aktuale",

  paidHeading: "Pagesa u krye me sukses",
  paidText: "Faleminderit. {merchant} e ka marrë pagesën tuaj.",
  submittedHeading: "Pagesa u dërgua",
  submittedText:
    "Faleminderit. Banka juaj e debiton llogarinë tuaj në ditët e ardhshme; {merchant} është në dijeni të pagesës suaj.",
  signedHeading: "Mandati u nënshkrua",
  refundedHeading: "Pagesa u rimbursua",
  returnedHeading: "Pagesa u kthye",
  returnedText: "Banka juaj e ka kthyer këtë pagesë.",
  receipt: "Dëftesë pagese",
  amount: "Shuma",
  date: "Data",
  account: "Llogaria",
  bank: "Banka",
  accountHolder: "Mbajtësi i llogarisë",
  orderNumber: "Numri i porosisë",
  nextPayment: "Pagesa e ardhshme",
  statementText: "Teksti në nxjerrjen tuaj bankare",
  print: "Printo",
  backToMerchant: "Kthehuni te {merchant}",
  leavingIn: {
    one: "Do të kaloni atje pas {seconds} sekonde.",
    other: "Do të kaloni atje pas {seconds} sekondash.",
  },
  stay: "Qëndroni në këtë faqe",

  failedHeading: "Pagesa nuk u krye",
  failedText: "Nuk ka mbetur asnjë përpjekje. Nuk është tërhequr asnjë shumë.",
  cancelledHeading: "Kjo pagesë u anulua",
  cancelledText: "Tregtari e ka ndërprerë këtë pagesë. Nuk është tërhequr asnjë shumë.",
  expiredHeading: "Kjo faqe pagese ka skaduar",
  expiredText: "Koha e saj ka mbaruar. Nuk është tërhequr asnjë shumë.",
  unknownHeading: "Kjo pagesë nuk ekziston",
  unknownText: "Ju lutemi, kontrolloni adresën ose hapeni edhe një herë lidhjen që ju është dhënë.",
  tooFastHeading: "Një çast, ju lutemi",
  tooFastText:
    "Pati shumë kërkesa njëherësh. Nëse sapo keni paguar, ju lutemi, mos paguani përsëri: pas një çasti kjo faqe tregon si është pagesa juaj.",
  unavailableHeading: "Për momentin nuk mund ta shfaqim këtë faqe",
  unavailableText:
    "Nëse sapo keni paguar, ju lutemi, mos paguani përsëri: pagesa juaj nuk ka humbur. Provoni përsëri pas një çasti për të parë si është ajo.",
  badRequestHeading: "Kjo nuk mund të lexohej",
  badRequestText:
    "Nuk është tërhequr asnjë shumë. Ju lutemi, kthehuni te faqja e pagesës dhe provoni përsëri.",
  backToPayment: "Kthehuni te faqja e pagesës",
  askMerchant: "Nëse keni pyetje, ju lutemi, kontaktoni {merchant}.",

  previewNote: "Pamje paraprake me të dhëna shembull: këtu nuk mund të paguhet asgjë.",
};
