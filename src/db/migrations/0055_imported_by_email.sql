-- compatible with: 0017
-- runs: concurrently
-- An erasure finds what was imported with the customer's e-mail address.
create index concurrently if not exists transactions_by_imported_email on transactions (tenant, lower(trim(customer_email_csv)))
  where customer_email_csv is not null;
