/** The schemas of bank files. */
import { Type } from "../../lib/schema.ts";
import { nullable, oneOf } from "../../http/fields.ts";
import { NullableDay, NullableText, NullableTime, Time, Uuid } from "../../http/response-fields.ts";
import { PAGE_QUERY } from "../../http/paging.ts";

export const FILE_STATUSES = [
  "to_approve",
  "ready",
  "stored",
  "uploading",
  "renaming",
  "sent",
  "unclear",
  "withdrawn",
  "applied",
  "refused",
] as const;

export const FileRecord = Type.Object(
  {
    id: Uuid,
    gateway_id: Uuid,
    direction: Type.Enum(["out", "in"]),
    kind: Type.String({ description: "pain.008, pain.001, pain.002, camt.052, camt.053, camt.054" }),
    name: Type.String(),
    message_id: NullableText,
    sha256: Type.String(),
    size: Type.Integer({ description: "Bytes." }),
    transactions: Type.Integer({ description: "Out: instructions. In: entries and statuses." }),
    amount: Type.String(),
    due_date: NullableDay,
    status: Type.Enum([...FILE_STATUSES]),
    approvals_required: Type.Integer({ description: "Out: as the account asked for when it was written." }),
    approved_by: Type.Array(Type.String(), { description: "Out: who has approved it, in their order." }),
    error: NullableText,
    report: Type.Record(Type.String(), Type.Unknown(), {
      description: "In: number of entries settled, rejected, returned, known, ignored and unmatched.",
    }),
    attempts: Type.Integer(),
    following: Type.Integer({
      description: "In: payments not yet updated from the file. They are updated automatically.",
    }),
    unanswered: Type.Integer({ description: "Out: instructions without an answer from the bank." }),
    sent_at: NullableTime,
    created_at: Time,
    updated_at: Time,
  },
  { $id: "SepaFile" },
);
export const Accounts = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        gateway_id: Uuid,
        iban_last4: Type.String({ description: "The end of the account that money is collected to." }),
        next_file_at: Type.String({ format: "date-time", description: "The next cut-off." }),
        due_from: Type.String({
          format: "date",
          description: "The first day on which that file can be due.",
        }),
        transport: Type.String({ description: "manual, directory or sftp" }),
        last_file_on: nullable(Type.String({ format: "date", description: "The last cut-off's day." })),
        waiting: Type.Array(
          Type.Object({ currency: Type.String(), count: Type.Integer(), amount: Type.String() }),
          { description: "What waits for its next files." },
        ),
      }),
    ),
  },
  { $id: "SepaAccounts" },
);
export const FileDelivery = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        ...FileRecord.properties,
        known: Type.Boolean({ description: "true if the file was already read; nothing was done." }),
      }),
    ),
  },
  { $id: "SepaDelivery" },
);
export const Entries = Type.Object(
  {
    next: nullable(Type.Integer({ description: "The `after` of the next page." })),
    results: Type.Array(
      Type.Object({
        number: Type.Integer(),
        result: Type.String(),
        reference: NullableText,
        amount: NullableText,
        reason_code: NullableText,
        detail: Type.String(),
      }),
    ),
  },
  { $id: "SepaFileEntries" },
);
export const UploadForm = Type.Object({
  gateway_id: Uuid,
  file: Type.String({ description: "pain.002 or camt XML, or a ZIP of such files.", format: "binary" }),
});

export const FileQuery = Type.Object({
  ...PAGE_QUERY,
  direction: Type.Optional(oneOf(["out", "in"])),
  status: Type.Optional(oneOf(FILE_STATUSES)),
  overdue: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60,
      description: "Only files with instructions unanswered this many TARGET days after their due date.",
    }),
  ),
  gateway_id: Type.Optional(Uuid),
  held: Type.Optional(
    Type.Boolean({
      description:
        "true: only files that are not sent, as the bank has answered to instructions in them, or to others of a withdrawn file that they were in: it may have that file.",
    }),
  ),
  not_taken: Type.Optional(
    Type.Boolean({
      description:
        "true: only files that could not be sent and wait for a person: the bank has refused them, or has not taken them however often they were tried.",
    }),
  ),
});
export const EntriesQuery = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0, description: "Entries with a higher number." })),
  result: Type.Optional(
    oneOf(["settled", "rejected", "returned", "known", "ignored", "unmatched", "unanswered"]),
  ),
});
export const ConfirmBody = Type.Object(
  {
    arrived: Type.Boolean(),
    attempts: Type.Optional(
      Type.Integer({
        description:
          "The file's `attempts` when you asked the bank. 409 (`file_sent_again`) if it was sent again since.",
      }),
    ),
  },
  { $id: "SepaFileConfirm" },
);
