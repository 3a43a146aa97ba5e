-- compatible with: 0017
-- allowed: new-rule: the last release leaves the new column null
-- Public addresses at which customers begin payments on the merchant's terms.
create table payment_links (
  tenant integer not null constraint tenant_exists references tenants (tenant),
  id uuid not null,
  name text not null,
  description text,
  campaign_id uuid,
  gateway_id uuid,
  hosted_page_id uuid,
  webhook_profile_id uuid,
  amount numeric(12, 2),
  amount_min numeric(12, 2),
  amount_max numeric(12, 2),
  amount_suggested numeric(12, 2),
  uses_max integer,
  ends_at timestamptz,
  metadata jsonb,
  active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  primary key (tenant, id),
  constraint campaign_of_same_tenant foreign key (tenant, campaign_id) references campaigns (tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways (tenant, id),
  constraint hosted_page_of_same_tenant foreign key (tenant, hosted_page_id) references hosted_pages (tenant, id),
  constraint webhook_profile_of_same_tenant foreign key (tenant, webhook_profile_id) references webhook_profiles (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint campaign_or_gateway_given check (campaign_id is not null or gateway_id is not null),
  constraint amount_positive check (amount > 0 and amount_min > 0),
  constraint amount_is_fixed_or_chosen check (amount is null or amount_min is null),
  constraint amount_given_without_campaign check (
    campaign_id is not null or amount is not null or amount_min is not null
  ),
  constraint only_a_chosen_amount_has_bounds check (
    amount_min is not null or (amount_max is null and amount_suggested is null)
  ),
  constraint amount_max_is_not_below_min check (amount_max >= amount_min),
  constraint suggestion_within_bounds check (
    amount_suggested >= amount_min and amount_suggested <= coalesce(amount_max, amount_suggested)
  ),
  constraint uses_max_is_1_to_10000 check (uses_max between 1 and 10000)
);
create index payment_links_newest_first on payment_links (tenant, created_at desc, id desc);
comment on table payment_links is
  'Public addresses at which customers begin payments: each is a session of its own.';
comment on column payment_links.name is 'What is paid for, as the customer reads it.';
comment on column payment_links.campaign_id is 'Sells its offer, with its gateway and page; null: one payment at the gateway.';
comment on column payment_links.amount is 'Fixed; null: the customer chooses, or the price is the offer''s.';
comment on column payment_links.amount_min is 'The least that a customer can choose; null: there is nothing to choose.';
comment on column payment_links.uses_max is 'How many payments may be completed; null: any number.';
comment on column payment_links.metadata is 'Of each of its sessions.';
alter table sessions add column payment_link_id uuid;
alter table sessions add column holds_link_use boolean not null default false;
alter table sessions add constraint payment_link_of_same_tenant
  foreign key (tenant, payment_link_id) references payment_links (tenant, id) not valid;
comment on column sessions.payment_link_id is 'The link at which its customer has begun it; null: the merchant has.';
comment on column sessions.holds_link_use is
  'It has one of its link''s uses, for an attempt or for good; another session takes it over unless that is under way or paid.';
