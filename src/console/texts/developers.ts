/** Sentences of the pages for developers. */
import type { ActivityStatus } from "../../integrations/management-store.ts";
import type { Plural } from "./texts.ts";

/** How a postback was matched, or why it was not. */
type PostbackReason =
  | "lead_id"
  | "our_ref_lead_id"
  | "our_ref_order_number"
  | "our_ref_session_token"
  | "our_ref_tenant_reference_id"
  | "no_reference"
  | "unknown_reference"
  | "lead_id_is_no_text"
  | "our_ref_is_no_text"
  | "payload_unreadable"
  | "internal_error"
  | "integration_inactive"
  | "provider_inactive";

export interface DeveloperTexts {
  // API keys.
  readonly apiKeys: string;
  readonly newApiKey: string;
  readonly noApiKeys: string;
  readonly noApiKeysHint: string;
  readonly keyOnce: string;
  readonly begins: string;
  readonly ends: string;
  readonly revoke: string;
  readonly revokeWhat: string;
  readonly revoked: string;
  readonly expired: string;
  readonly rotate: string;
  readonly rotateWhat: string;
  readonly overlap: string;
  /** By seconds. */
  readonly overlaps: Readonly<Record<"0" | "3600" | "86400" | "604800", string>>;

  // Webhooks.
  readonly webhooks: string;
  readonly newWebhook: string;
  readonly noWebhooks: string;
  readonly noWebhooksHint: string;
  readonly secretOnce: string;
  readonly newSecret: string;
  readonly newSecretWhat: string;
  readonly switchedOff: string;
  readonly tryIt: string;
  readonly tryWhat: string;
  /** `{code}`, `{time}` */
  readonly tryDone: string;
  /** `{error}` */
  readonly tryFailed: string;
  readonly receiver: string;

  // Deliveries.
  readonly deliveries: string;
  readonly delivery: string;
  readonly noDeliveries: string;
  readonly noDeliveriesHint: string;
  readonly event: string;
  readonly answer: string;
  readonly lastTry: string;
  readonly nextTry: string;
  readonly delivered: string;
  readonly everyTry: string;
  readonly notTried: string;
  readonly took: string;
  /** `{number}`, in milliseconds */
  readonly milliseconds: string;
  readonly payload: string;
  readonly sendAgain: string;
  readonly sendAgainDone: string;
  readonly sendAllAgain: string;
  readonly sendAllWhat: string;
  readonly sendAllSince: string;
  readonly failedOnes: string;
  /** `{number}` */
  readonly sentAgain: Plural;

  // Events.
  readonly events: string;
  readonly noEvents: string;
  readonly noEventsHint: string;
  readonly whereDelivered: string;
  readonly sentNowhere: string;
  readonly session: string;

  // The log of requests.
  readonly requests: string;
  readonly requestsWhat: string;
  readonly noRequests: string;
  readonly noRequestsHint: string;
  readonly request: string;
  readonly requestId: string;
  readonly method: string;
  readonly apiKey: string;
  readonly problem: string;
  readonly refusedOnes: string;
  readonly recordInPath: string;

  // Integrations.
  readonly integrations: string;
  readonly newIntegration: string;
  readonly noIntegrations: string;
  readonly noIntegrationsHint: string;
  readonly lastRead: string;
  readonly readFailed: string;
  readonly postbackUrl: string;
  readonly newAddress: string;
  readonly newAddressWhat: string;
  readonly newAddressDone: string;
  readonly postback: string;
  readonly postbacks: string;
  readonly noPostbacks: string;
  readonly noPostbacksHint: string;
  readonly postbackStates: Readonly<Record<ActivityStatus, string>>;
  readonly postbackReasons: Readonly<Record<PostbackReason, string>>;
  readonly readFrom: string;
  readonly bodyGone: string;
  readonly processed: string;
  readonly processAgain: string;
  readonly processAgainDone: string;

  // The signature doctor.
  readonly doctor: string;
  readonly doctorWhat: string;
  readonly doctorHeaders: string;
  readonly doctorHeadersHint: string;
  readonly doctorBody: string;
  readonly doctorBodyHint: string;
  readonly doctorExamine: string;
  readonly doctorSays: string;
  readonly doctorNoProfile: string;

  // Test accounts.
  readonly testAccounts: string;
  readonly testAccountsWhat: string;
  readonly whatHappens: string;
  /** By scenario; of a decline `{reason}`. */
  readonly scenarios: Readonly<Record<string, string>>;
}
