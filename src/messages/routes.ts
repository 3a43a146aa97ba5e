/** `management/messages/`: the messages to customers by e-mail, including those that could not be delivered. */
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { nullable, oneOf, uuid } from "../http/fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../http/paging.ts";
import { NullableText, NullableTime, NullableUuid, Time, Uuid } from "../http/response-fields.ts";
import { timesAsText } from "../http/times-as-text.ts";
import { Type } from "../lib/schema.ts";
import { MANAGEMENT } from "../management/resource-routes.ts";
import { MESSAGE_KINDS } from "./outbox.ts";
import { openRecipient } from "./recipient.ts";
import { listMessages } from "./store.ts";

const PATH = `${MANAGEMENT}messages/`;
const STATES = ["waiting", "sent", "refused", "given_up", "unclear", "dropped"] as const;

const Message = Type.Object(
  {
    id: Uuid,
    kind: Type.Enum([...MESSAGE_KINDS]),
    state: Type.Enum([...STATES], {
      description:
        "waiting: to be sent, or tried again; sent: the mail server has taken it on; refused: it takes no such mail for this address; given_up: not taken, or not made, within three days; unclear: the connection broke before the server's answer, so it is not sent again; dropped: what it tells of was over before it was sent, or its customer was erased.",
    }),
    transaction_id: NullableUuid,
    notice_id: NullableUuid,
    recipient: nullable(Type.String({ description: "Null before the first attempt, and once erased." })),
    language: NullableText,
    text_version: NullableText,
    attempts: Type.Integer(),
    answer: nullable(
      Type.String({
        description:
          "Of the mail server, or why the message could not be made (`not made: …`); without addresses.",
      }),
    ),
    due_at: NullableTime,
    handed_over_at: NullableTime,
    sent_at: NullableTime,
    created_at: Time,
  },
  { $id: "Message" },
);

const MessageQuery = Type.Object({
  ...PAGE_QUERY,
  kind: Type.Optional(oneOf(MESSAGE_KINDS)),
  state: Type.Optional(oneOf(STATES)),
  transaction_id: Type.Optional(uuid()),
});

/** Declares the endpoint on the router. */
export function messageRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List messages to customers, newest first",
    tag: "Messages",
    access: "read",
    schema: { query: MessageQuery, response: { 200: pageSchema(Message) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { kind = null, state = null, transaction_id: transactionId = null } = call.query;
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listMessages(deps.db, tenant, { kind, state, transactionId }, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      const results = page.results.map((row) =>
        timesAsText({ ...row, recipient: openRecipient(deps, tenant, row.id, row.recipient) }),
      );
      return { status: 200, body: { ...page, results } };
    },
  });
}
