-- compatible with: 0017
-- What a merchant knows of a purchase when its session is created, and where its customer goes afterwards.
alter table sessions add column tenant_reference_id text;
alter table sessions add column metadata jsonb;
alter table sessions add column locale text;
alter table sessions add column success_redirect_url text;
alter table sessions add column failure_redirect_url text;
alter table sessions add column cancel_redirect_url text;
alter table tenants add column redirect_hosts text[] not null default '{}';
comment on column sessions.tenant_reference_id is 'Of the payment to come: reserved for this session, and used by its attempts that name none.';
comment on column sessions.metadata is 'Names and texts of the merchant''s own; null: none.';
comment on column sessions.locale is 'BCP 47: the page''s language unless its customer chooses another; null: as the browser asks.';
comment on column sessions.success_redirect_url is 'In place of the hosted page''s, as the two that follow.';
comment on column tenants.redirect_hosts is 'Hosts that a session may send its customer to by an address of its own.';
