/** `management/transactions/{id}/notes/`: people's notes on a payment. */
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { Uuid } from "../../http/response-fields.ts";
import { Type } from "../../lib/schema.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { NOTE_MAX, writeNote } from "./note.ts";

const NoteBody = Type.Object({ text: text(NOTE_MAX) }, { $id: "PaymentNoteBody" });
const Note = Type.Object({ id: Uuid }, { $id: "PaymentNote" });

/** Declares the endpoint. */
export function noteRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${MANAGEMENT}transactions/{id}/notes/`, {
    summary: "Write a note on a transaction",
    description:
      "It stands in the timeline of `GET management/transactions/{id}/` with who wrote it, and is not changed afterwards. An erasure of the customer takes out its text.",
    tag: "Money after the payment",
    access: "refunds",
    schema: { params: IdInPath, body: NoteBody, response: { 201: Note } },
    async handle(call) {
      const { operationId } = call;
      await writeNote(deps, {
        tenant: tenantOf(call),
        transactionId: call.params.id,
        text: call.body.text,
        operationId,
        author: call,
      });
      return { status: 201, body: { id: operationId } };
    },
  });
}
