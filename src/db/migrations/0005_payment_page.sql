create table hosted_pages (
  tenant                    integer      not null,
  id                        uuid         not null,
  name                      text         not null,
  branding                  jsonb        not null,
  content                   jsonb        not null,
  show_product_name         boolean      not null,
  show_product_price        boolean      not null,
  show_product_description  boolean      not null,
  offer_overrides           jsonb        not null,
  success_redirect_url      text,
  failure_redirect_url      text,
  mandate_acceptance_mode   text         not null,
  locale                    text,
  frame_origins             text[]       not null default '{}',
  created_at                timestamptz  not null,
  updated_at                timestamptz  not null,
  archived_at               timestamptz,
  primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint branding_is_object check (jsonb_typeof(branding) = 'object'),
  constraint content_is_object check (jsonb_typeof(content) = 'object'),
  constraint offer_overrides_are_object check (jsonb_typeof(offer_overrides) = 'object'),
  constraint success_redirect_url_length check (char_length(success_redirect_url) <= 2000),
  constraint failure_redirect_url_length check (char_length(failure_redirect_url) <= 2000),
  constraint mandate_acceptance_mode_known check (mandate_acceptance_mode in ('checkbox', 'IMPLICIT')),
  constraint tenant_exists foreign key (tenant) references tenants
);
comment on table hosted_pages is 'Looks and texts of payment pages.';
comment on column hosted_pages.branding is 'logo_url, primary_color, accent_color; what is missing keeps the page''s own.';
comment on column hosted_pages.content is 'Texts around the form: `headline`; every other one is a paragraph.';
comment on column hosted_pages.offer_overrides is '`product_name` and `product_description` in place of the offer''s. A price cannot be overridden.';
comment on column hosted_pages.mandate_acceptance_mode is 'Whether the customer accepts the mandate by a checkbox or by paying.';
comment on column hosted_pages.locale is 'BCP 47. The language when the browser''s is not among the page''s.';
comment on column hosted_pages.frame_origins is
  'Origins (https://shop.example.com) whose pages may show the payment page in a frame; none unless the merchant lists them.';
