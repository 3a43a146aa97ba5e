-- compatible with: 0017
-- allowed: new-rule: the last release leaves the columns to their defaults
-- allowed: lock-to-scan: notices came with 0049, of the same release
-- Whether renewals wait until their customers were told of them, and on which road each notice went out.
alter table tenants add column notice_check text not null default 'report';
alter table tenants add column notice_check_since timestamptz not null default now();
alter table tenants add constraint notice_check_known check (notice_check in ('off', 'report', 'refuse'));
comment on column tenants.notice_check is 'What follows when a renewal is due of which its customer was not told in time.';
comment on column tenants.notice_check_since is 'By the tenant''s clock: of what was collected before nothing is reported.';
-- What is due before was announced before notices were kept.
update tenants set notice_check_since = now() + make_interval(days => pre_notification_days + 5);

alter table notices add column told_by text not null default 'event'
  constraint told_by_known check (told_by in ('event', 'message'));
comment on column notices.told_by is 'Who tells the customer: a message of this service, or the merchant who takes the event.';
