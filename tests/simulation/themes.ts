/** Themes of some seeds: situations that need several rare events in sequence, frequent only in these seeds. */
import type { Swarm, Trouble } from "./swarm.ts";
import type { BankHabits } from "./bank.ts";

export type Theme = Partial<
  Pick<
    Swarm,
    | "bank"
    | "before"
    | "shops"
    | "afterRefund"
    | "afterChargeback"
    | "noticeCheck"
    | "refundHoldDays"
    | "skewMs"
  >
> & {
  /** The operations of the theme; all others are rare. */
  readonly acts: Readonly<Record<string, number>>;
  readonly trouble?: Partial<Trouble>;
};

const AT_ONCE = { charged: 90, pending: 10, refused: 0, awaiting: 0 };
const LATER = { charged: 20, pending: 80, refused: 0, awaiting: 0 };
const GOOD: BankHabits = {
  firsts: AT_ONCE,
  renewals: AT_ONCE,
  refunds: { given: 90, pending: 10, refused: 0 },
  laterPending: 0.1,
  settles: 0.9,
  confirms: 0.8,
  reasons: "all",
  parts: 0,
};
/** Bank files are exchanged and days pass while instances die. */
const DYING = { kills: 0.015, killsAtSteps: 0.08 };

/** Renewals fail for good. @param collect how often people collect them by hand. */
const dunning = (reasons: BankHabits["reasons"], collect: number): Theme => ({
  acts: { create: 6, pay: 12, workAll: 8, renew: 40, collect, bankWorks: 6 },
  bank: { ...GOOD, renewals: { charged: 15, pending: 10, refused: 75, awaiting: 0 }, reasons },
  before: 6,
  afterChargeback: "past_due",
});

/** Payments are refunded and charged back, and reinstated. */
const MONEY_BACK: Theme = {
  acts: {
    create: 6,
    pay: 12,
    workAll: 20,
    renew: 20,
    refund: 8,
    refundRest: 25,
    bankWorks: 6,
    bankChargesBack: 16,
    chargeback: 5,
    bankReinstates: 14,
  },
  bank: { ...GOOD, renewals: { charged: 85, pending: 15, refused: 0, awaiting: 0 } },
  before: 6,
  afterRefund: "keep",
  afterChargeback: "past_due",
};

/** A third of all seeds has one of these, in this order. */
export const THEMES: readonly Theme[] = [
  dunning("technology", 30),
  dunning("funds", 30),
  MONEY_BACK,
  // No collections by hand: the service retries as often as it may.
  dunning("funds", 0),
  // Partial refunds and chargebacks meet: a refund is given after its payment was charged back.
  {
    ...MONEY_BACK,
    acts: { ...MONEY_BACK.acts, renew: 30, refund: 40, refundRest: 8, bankWorks: 14, bankReinstates: 4 },
    bank: { ...GOOD, refunds: { given: 30, pending: 70, refused: 0 }, parts: 0.7 },
  },
  // Both merchants have equal records, and the bank repeats its reports, also of what is long past.
  {
    ...MONEY_BACK,
    acts: { ...MONEY_BACK.acts, chargeback: 14, chargebackTwice: 14, importChargebacks: 16, workAll: 30 },
    shops: 2,
    trouble: { bank: 0.1, repeats: 0.6 },
  },
  // Accepted payments are returned before they settle, and reinstated. The returns end mandates but not subscriptions.
  {
    acts: {
      create: 10,
      pay: 24,
      workAll: 24,
      renew: 24,
      bankWorks: 5,
      bankChargesBack: 24,
      bankReinstates: 16,
      bankIsQuick: 14,
      chargebackTooEarly: 6,
    },
    bank: { ...GOOD, firsts: LATER, renewals: LATER, reasons: "ends", laterPending: 0.9, settles: 0.5 },
    before: 4,
    afterRefund: "keep",
    afterChargeback: "keep",
    trouble: { bank: 0.4, repeats: 0 },
  },
  // Subscriptions and mandates end while a renewal waits.
  {
    acts: {
      create: 8,
      pay: 16,
      workAll: 14,
      renew: 36,
      announce: 14,
      bankWorks: 8,
      cancelSubscription: 26,
      cancelMandate: 6,
      collectUnscheduled: 10,
      mandatesExpire: 0.7,
    },
    bank: { ...GOOD, renewals: LATER },
    before: 6,
  },
  // Accounts change between a payment and its outcome. Many payments wait for their customers meanwhile, who then pay.
  {
    acts: {
      create: 26,
      pay: 34,
      comeBack: 24,
      changeGateway: 36,
      recover: 5,
      workAll: 8,
      bankWorks: 10,
      lateCall: 3,
    },
    bank: {
      ...GOOD,
      firsts: { charged: 5, pending: 30, refused: 0, awaiting: 65 },
      laterPending: 0.9,
      confirms: 0.95,
    },
    trouble: { bank: 0.15, kills: 0, killsAtSteps: 0, database: 0 },
  },
  // Instances die between an action and its response, and all callers repeat their requests.
  {
    acts: {
      create: 24,
      pay: 20,
      again: 20,
      recover: 10,
      workAll: 6,
      refund: 10,
      collectUnscheduled: 24,
      rotateKey: 3,
    },
    before: 4,
    trouble: DYING,
  },
  // Customers return after their session has expired, while the service is ending it.
  {
    acts: { create: 16, lapse: 40, pay: 6, verify: 4, comeBack: 6, recover: 6, work: 8 },
    bank: { ...GOOD, firsts: { charged: 10, pending: 10, refused: 40, awaiting: 40 } },
    trouble: { kills: 0, killsAtSteps: 0, crowding: 0 },
  },
  // The bank reports news once only, and the service may fail to write it down.
  {
    acts: {
      create: 14,
      pay: 30,
      renew: 10,
      refund: 14,
      work: 8,
      workAll: 24,
      bankWorks: 30,
      bankIsQuick: 10,
      bankChargesBack: 16,
    },
    bank: { ...GOOD, firsts: LATER, renewals: LATER, refunds: { given: 20, pending: 80, refused: 0 } },
    before: 3,
    trouble: { ...DYING, database: 0.04, bank: 0.3, repeats: 0 },
  },
  // MANDATE-8: renewals wait until their customers were told, and mandates are amended in between.
  {
    acts: {
      create: 6,
      pay: 12,
      workAll: 30,
      announce: 30,
      renew: 40,
      amend: 10,
      receiverDies: 2,
      bankWorks: 6,
      jump: 12,
    },
    bank: { ...GOOD, renewals: { charged: 70, pending: 15, refused: 15, awaiting: 0 } },
    before: 6,
    noticeCheck: "refuse",
  },
];

/** Of the seeds from 10,000 on, another third has one of these. */
export const LATER_THEMES: readonly Theme[] = [
  // Customers pay failed renewals by their links, while the service retries and people collect.
  {
    ...dunning("funds", 8),
    acts: {
      ...dunning("funds", 8).acts,
      payFailed: 40,
      changeOwnAccount: 10,
      cancelOwn: 4,
      cancelSubscription: 16,
      recover: 10,
    },
    trouble: { ...DYING, bank: 0.2 },
  },
  // Attempts are used up: payments are declined or lose their response, and customers try again.
  {
    acts: {
      create: 14,
      pay: 40,
      payTwice: 20,
      payLate: 16,
      verify: 8,
      comeBack: 6,
      customerDecides: 20,
      recover: 14,
      lapse: 8,
      cancel: 20,
    },
    bank: { ...GOOD, firsts: { charged: 5, pending: 5, refused: 60, awaiting: 30 } },
    trouble: { bank: 0.3 },
  },
  // Refunds of one payment meet, and their responses are lost.
  {
    acts: {
      create: 6,
      pay: 12,
      workAll: 16,
      refund: 20,
      refundTwice: 40,
      pauseInstance: 14,
      refundRest: 14,
      recover: 14,
      bankWorks: 10,
      bankChargesBack: 6,
    },
    bank: { ...GOOD, refunds: { given: 40, pending: 30, refused: 30 } },
    before: 6,
    afterRefund: "keep",
    trouble: { ...DYING, bank: 0.4 },
  },
  // Instances are paused for longer than their leases, and continue with an old response.
  {
    acts: {
      create: 12,
      pay: 24,
      verify: 14,
      comeBack: 14,
      pauseInstance: 30,
      recover: 24,
      tick: 10,
      recoverEarly: 16,
      renew: 24,
      refund: 14,
    },
    bank: { ...GOOD, firsts: { charged: 40, pending: 10, refused: 10, awaiting: 40 } },
    before: 4,
    trouble: { bank: 0.5, kills: 0, killsAtSteps: 0 },
  },
  // Receivers fail for hours and days; keys and addresses change meanwhile.
  {
    acts: {
      create: 16,
      pay: 24,
      workAll: 20,
      work: 20,
      renew: 10,
      receiverDies: 8,
      changeReceiver: 10,
      rotateKey: 12,
      again: 16,
      jump: 10,
    },
    bank: GOOD,
    before: 2,
    trouble: { receivers: true, lostAnswers: 0.1 },
  },
  // The bank repeats its reports of settlements.
  {
    acts: { create: 8, pay: 18, workAll: 30, renew: 24, refund: 8, bankWorks: 24, bankChargesBack: 3 },
    bank: { ...GOOD, firsts: LATER, renewals: LATER, refunds: { given: 30, pending: 70, refused: 0 } },
    before: 4,
    trouble: { bank: 0.1, repeats: 0.6 },
  },
  // Subscriptions end, and their payments are charged back afterwards.
  {
    ...MONEY_BACK,
    acts: {
      ...MONEY_BACK.acts,
      refund: 14,
      refundRest: 6,
      cancelSubscription: 22,
      cancelOwn: 6,
      cancelMandate: 3,
    },
    bank: { ...GOOD, renewals: { charged: 85, pending: 15, refused: 0, awaiting: 0 }, parts: 0.3 },
  },
];

/** Of the seeds from 30,000 on, the remaining third has one of these. */
export const NEWEST_THEMES: readonly Theme[] = [
  // Many responses are lost, and callers repeat requests with and without a key.
  {
    acts: {
      create: 16,
      pay: 16,
      renew: 10,
      refund: 8,
      importPayments: 16,
      importChargebacks: 20,
      importMandates: 12,
      changeGateway: 12,
      changeTenant: 12,
      changeReceiver: 8,
      amend: 10,
      again: 20,
      workAll: 10,
    },
    bank: GOOD,
    before: 4,
    trouble: { ...DYING, lostAnswers: 0.4 },
  },
  // Customers verify, and merchants cancel sessions, while instances die. The bank has usually decided before anyone
  // asks.
  {
    acts: {
      create: 16,
      pay: 20,
      customerDecides: 14,
      verify: 16,
      comeBack: 24,
      cancel: 24,
      recover: 4,
    },
    bank: {
      ...GOOD,
      firsts: { charged: 5, pending: 5, refused: 5, awaiting: 85 },
      laterPending: 0.4,
      confirms: 0.6,
    },
    before: 4,
    trouble: { kills: 0, killsAtSteps: 0.08, database: 0, bank: 0.1, lostAnswers: 0 },
  },
  // Renewals are refused because the account or mandate has ended. Chargebacks are imported before the bank reports
  // them.
  {
    acts: {
      create: 10,
      pay: 16,
      renew: 30,
      workAll: 6,
      bankWorks: 6,
      bankChargesBack: 30,
      importChargebacks: 40,
      chargeback: 8,
      cancelMandate: 6,
      mandatesExpire: 1.5,
    },
    bank: { ...GOOD, renewals: { charged: 40, pending: 10, refused: 50, awaiting: 0 }, reasons: "ends" },
    before: 6,
    afterChargeback: "cancel",
  },
  // Customers in arrears pay by a link. Those payments settle later, or an earlier payment is charged back.
  {
    acts: {
      create: 6,
      pay: 12,
      renew: 36,
      workAll: 14,
      payFailed: 30,
      bankWorks: 8,
      bankChargesBack: 16,
      bankReinstates: 10,
      refundRest: 10,
      collect: 8,
    },
    bank: {
      ...GOOD,
      firsts: LATER,
      renewals: { charged: 20, pending: 40, refused: 40, awaiting: 0 },
      reasons: "funds",
      settles: 0.6,
    },
    before: 6,
    afterChargeback: "cancel",
    afterRefund: "cancel",
  },
  // Refunds are held, and their payments are charged back meanwhile. People release and cancel them while the hold
  // ends.
  {
    acts: {
      create: 6,
      pay: 12,
      workAll: 16,
      renew: 14,
      refund: 24,
      refundTwice: 8,
      refundRest: 8,
      holdRefunds: 4,
      decideHeld: 24,
      decideHeldTwice: 24,
      bankWorks: 8,
      bankChargesBack: 10,
      bankReinstates: 5,
      jump: 8,
    },
    bank: { ...GOOD, refunds: { given: 50, pending: 30, refused: 20 } },
    before: 6,
    afterRefund: "keep",
    afterChargeback: "past_due",
    refundHoldDays: 10,
    trouble: { ...DYING, bank: 0.2 },
  },
  // Subscriptions change while they are announced, collected and retried.
  {
    acts: {
      create: 6,
      pay: 12,
      workAll: 16,
      announce: 24,
      renew: 40,
      changeSubscription: 40,
      again: 10,
      collect: 8,
      bankWorks: 8,
    },
    bank: { ...GOOD, renewals: { charged: 50, pending: 25, refused: 25, awaiting: 0 } },
    before: 6,
    noticeCheck: "refuse",
    trouble: DYING,
  },
  // Responses arrive when their lease has ended, or when another instance's clock says so.
  {
    acts: {
      create: 12,
      pay: 8,
      workAll: 6,
      overtakeRefund: 40,
      overtakePayment: 40,
      recoverEarly: 10,
      bankWorks: 6,
    },
    bank: { ...GOOD, firsts: { charged: 70, pending: 10, refused: 10, awaiting: 10 } },
    before: 6,
    afterRefund: "keep",
    skewMs: 45_000,
    trouble: { kills: 0, killsAtSteps: 0, crowding: 0 },
  },
];
