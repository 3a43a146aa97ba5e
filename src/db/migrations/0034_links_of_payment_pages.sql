-- compatible with: 0017
-- Ways off the payment page: back to the shop, and to what a merchant has to link.
alter table hosted_pages add column cancel_redirect_url text;
alter table hosted_pages add column links jsonb not null default '{}';
comment on column hosted_pages.cancel_redirect_url is 'Where the form''s way back leads; null: it has none.';
comment on column hosted_pages.links is
  '`imprint_url`, `privacy_url`, `terms_url`, `support_url`, `support_email`: shown at the foot of the page.';
