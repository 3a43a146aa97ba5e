/** The sealed column of stored responses. */
import { answerContext } from "../lib/answer-store.ts";
import { sealedColumn } from "./sealed-column.ts";

export const SEALED_ANSWERS = [
  sealedColumn("idempotency_keys", "answer", { caller: "text", key: "text" }, answerContext),
];
