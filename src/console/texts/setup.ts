/** Sentences of the setup pages. */
export interface SetupTexts {
  readonly company: string;
  readonly companyData: string;
  readonly limits: string;
  readonly limitsWhat: string;
  readonly retention: string;
  readonly gateways: string;
  readonly newGateway: string;
  readonly noGateways: string;
  readonly noGatewaysHint: string;
  readonly chooseAdapter: string;
  readonly tryConnection: string;
  readonly tryConnectionWhat: string;
  /** `{outgoing}`, `{incoming}` */
  readonly connectionReached: string;
  readonly connectionNothing: string;
  /** `{error}` */
  readonly connectionFailed: string;
  readonly offers: string;
  readonly newOffer: string;
  readonly noOffers: string;
  readonly noOffersHint: string;
  readonly price: string;
  readonly campaigns: string;
  readonly newCampaign: string;
  readonly noCampaigns: string;
  readonly noCampaignsHint: string;
  readonly offer: string;
  /** `{time}`, `{limit}` as a percentage. */
  readonly campaignStoppedWhat: string;
  readonly waitingRenewals: string;
  readonly resumeCampaign: string;
  readonly resumeWhat: string;
  readonly resumeDone: string;
  readonly paymentLinks: string;
  readonly paymentLink: string;
  readonly newPaymentLink: string;
  readonly noPaymentLinks: string;
  readonly noPaymentLinksHint: string;
  /** The address that a link's customers open. */
  readonly linkAddress: string;
  /** Shown if the link has no amount of its own. */
  readonly priceOfOffer: string;
  /** `{amount}` */
  readonly atLeast: string;
  /** `{paid}` of a link's payments, `{max}` of them. */
  readonly usesOf: string;
  readonly linkUsedUp: string;
  readonly linkEnded: string;
  readonly downloadQrCode: string;
  readonly switchOn: string;
  readonly paymentPages: string;
  readonly newPaymentPage: string;
  readonly noPaymentPages: string;
  readonly noPaymentPagesHint: string;
  readonly preview: string;
  readonly previewWhat: string;
  readonly phoneView: string;
  readonly desktopView: string;
  readonly openPreview: string;
  readonly state: string;
  /** The states of the payment page, by the name in the preview's address. */
  readonly samples: Readonly<Record<string, string>>;
  readonly colours: string;
  readonly messages: string;
  readonly messagesChosen: string;
  readonly messageKinds: string;
  readonly messageSender: string;
  readonly noticeCheck: string;
  readonly noMailServer: string;
  readonly returnRules: string;
  /** `{days}` */
  readonly returnRulesWhat: string;
  readonly otherCodes: string;
  readonly returnCode: string;
  readonly whatFollows: string;
  /** `{what}` */
  readonly asDefault: string;
  readonly tryRules: string;
  /** `{days}` */
  readonly whatIfDone: string;
  /** `{time}` */
  readonly whatIfSince: string;
  readonly whatIfAtLeast: string;
  readonly notMade: string;
  readonly notCollected: string;
  readonly moreTries: string;
  readonly mandatesEnded: string;
  readonly accountsBlocked: string;
  readonly auditLog: string;
  readonly noAuditEntries: string;
  readonly noAuditEntriesHint: string;
  readonly who: string;
  readonly what: string;
  readonly record: string;
  readonly before: string;
  readonly after: string;
  readonly verifyChain: string;
  readonly verifyChainWhat: string;
  /** `{number}` */
  readonly chainRight: string;
  readonly chainWrong: string;
  readonly chainEmpty: string;
  /** Of the audit log. */
  readonly acts: Readonly<Record<string, string>>;
  /** The fields of records in the audit log that are in no form. */
  readonly loggedFields: Readonly<Record<string, string>>;
  /** The name of one record of each kind in the audit log. */
  readonly resources: Readonly<Record<string, string>>;
}
