/** Transactions and chargebacks as the management API answers them. */
import Type from "typebox";
import { nullable } from "../http/fields.ts";

const Uuid = Type.String({ format: "uuid" });
const Text = nullable(Type.String());
const Time = Type.String({ format: "date-time" });

/** (contract: Reconciliation records) */
export const TRANSACTION_RECORD = {
  id: Uuid,
  adapter_unique_id: Text,
  merchant_transaction_id: Type.String(),
  transaction_id: Text,
  tenant_reference_id: Text,
  status: Type.String(),
  type: Type.String(),
  amount: Type.String(),
  currency: Type.String(),
  date_processed: nullable(Time),
  iban: Text,
  bic: Text,
  customer_email_csv: Text,
  customer_name_csv: Text,
  mandate_reference_id: Text,
  mandate_date: nullable(Time),
  source: Type.String(),
  order_id: nullable(Uuid),
  subscription_id: nullable(Uuid),
  lead_id: nullable(Uuid),
  payment_gateway_id: Uuid,
  created_at: Time,
  updated_at: Time,
};

/** (contract: Reconciliation records) */
export const CHARGEBACK_RECORD = {
  id: Uuid,
  adapter_unique_id: Text,
  merchant_transaction_id: Type.String(),
  tenant_reference_id: Text,
  status: Type.String(),
  type: Type.String(),
  amount: Type.String(),
  currency: Type.String(),
  report_date: Time,
  transaction_date: nullable(Time),
  reason_code: Text,
  reason_message: Text,
  report_type: Text,
  report_message: Text,
  report_info: Text,
  arn: Text,
  iban: Text,
  bic: Text,
  email: Text,
  country: Text,
  source: Type.String(),
  cb_bank_fee: Text,
  transaction_id: nullable(Uuid),
  lead_id: nullable(Uuid),
  payment_gateway_id: Uuid,
  created_at: Time,
  updated_at: Time,
};
