-- compatible with: 0017
-- A signed presentation from the debtor's wallet is kept with the mandate that it goes with.

alter table mandates
  add column wallet_presentation bytea,
  add column wallet_presentation_format text,
  add column wallet_presentation_sha256 text,
  add column wallet_presentation_at timestamptz;
comment on column mandates.wallet_presentation is
  'Sealed: the signed presentation from the debtor''s wallet, as the merchant has given it; null: none, or erased.';
comment on column mandates.wallet_presentation_sha256 is 'Of its bytes, hexadecimal; it stays when the presentation is erased.';
comment on column mandates.wallet_presentation_at is 'When the merchant gave it.';
