-- compatible with: 0017
alter table api_keys drop constraint scopes_known, add constraint scopes_known check (
  cardinality(scopes) > 0
  and scopes <@ array['payments', 'reconciliation', 'management', 'read', 'refunds', 'billing', 'settings', 'keys', 'bank', 'exports', 'people', 'whole_ibans']
);
comment on column api_keys.scopes is '`management` is read, refunds, billing, settings, keys, bank and exports together; `people` and `whole_ibans` are had by name only.';

alter table tenants add column step_up_refunds_above numeric(12,2) not null default 200.00,
  add constraint step_up_refunds_above_not_negative check (step_up_refunds_above >= 0);
comment on column tenants.step_up_refunds_above is 'A person who refunds more than this shows the second factor again.';

create table people (
  tenant               integer      not null,
  id                   uuid         not null,
  email                text         not null,
  name                 text         not null,
  role                 text         not null,
  locale               text,
  time_zone            text,
  password_hash        text,
  password_changed_at  timestamptz,
  totp_secret          bytea,
  totp_last_step       bigint,
  oidc_subject         text,
  joined_at            timestamptz,
  last_sign_in_at      timestamptz,
  removed_at           timestamptz,
  created_at           timestamptz  not null,
  updated_at           timestamptz  not null,
  primary key (tenant, id),
  constraint email_length check (char_length(email) between 3 and 254),
  constraint email_is_lower_case check (email = lower(email)),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint role_known check (role in ('owner', 'developer', 'finance', 'support', 'viewer', 'operator')),
  constraint operators_have_no_tenant check ((role = 'operator') = (tenant = 0)),
  constraint code_was_taken_with_a_secret check (totp_secret is not null or totp_last_step is null)
);
create unique index people_one_per_email on people (tenant, email) where removed_at is null;
create unique index people_one_per_subject on people (tenant, oidc_subject) where removed_at is null;
create index people_by_email on people (email) where removed_at is null;
comment on table people is 'People who work in the console: each belongs to one tenant, operators to none.';
comment on column people.tenant is '0 for an operator, so that there is no foreign key.';
comment on column people.email is 'In small letters.';
comment on column people.locale is 'BCP 47; null: the browser''s.';
comment on column people.time_zone is 'IANA name; null: UTC.';
comment on column people.password_hash is 'Argon2id with its parameters (PHC string format). Null: no password.';
comment on column people.totp_secret is 'Sealed secret of the authenticator app; null without one.';
comment on column people.totp_last_step is 'Time step of the last code that was taken: no code is taken twice.';
comment on column people.oidc_subject is 'Who the person is at the tenant''s identity provider; null before the first sign-in there.';
comment on column people.joined_at is 'When the invitation was accepted; null: still invited.';

create table person_passkeys (
  tenant        integer      not null,
  id            uuid         not null,
  person        uuid         not null,
  credential    bytea        not null,
  public_key    bytea        not null,
  counter       bigint       not null,
  transports    text[]       not null,
  name          text         not null,
  last_used_at  timestamptz,
  removed_at    timestamptz,
  created_at    timestamptz  not null,
  primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint person_of_same_tenant foreign key (tenant, person) references people
);
create unique index person_passkeys_one_per_credential on person_passkeys (tenant, credential);
create index person_passkeys_of_person on person_passkeys (tenant, person);
comment on table person_passkeys is 'Passkeys: public keys of people''s devices.';
comment on column person_passkeys.credential is 'Credential id that the device has drawn; neither sealed nor a hash, as it is public.';
comment on column person_passkeys.public_key is 'COSE key; neither sealed nor a hash, as it is public.';
comment on column person_passkeys.counter is 'Signature counter of the device; 0 where it has none.';

create table person_recovery_codes (
  tenant      integer      not null,
  person      uuid         not null,
  hash        bytea        not null,
  created_at  timestamptz  not null,
  used_at     timestamptz,
  primary key (tenant, person, hash),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint person_of_same_tenant foreign key (tenant, person) references people
);
comment on table person_recovery_codes is 'Codes that stand in for the second factor once.';
comment on column person_recovery_codes.hash is 'SHA-256 of the code.';
comment on column person_recovery_codes.used_at is 'When it was used, or replaced by newer codes.';

create table person_links (
  tenant      integer      not null,
  hash        bytea        not null,
  person      uuid         not null,
  purpose     text         not null,
  expires_at  timestamptz  not null,
  used_at     timestamptz,
  created_at  timestamptz  not null,
  primary key (tenant, hash),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint purpose_known check (purpose in ('invitation', 'reset')),
  constraint person_of_same_tenant foreign key (tenant, person) references people
);
create index person_links_open on person_links (tenant, person) where used_at is null;
comment on table person_links is 'Links by which a person accepts an invitation or sets a new password; each works once.';
comment on column person_links.hash is 'SHA-256 of the link''s token.';
comment on column person_links.used_at is 'When it was used, or replaced by a newer link.';

create table console_sessions (
  tenant        integer      not null,
  id            uuid         not null,
  person        uuid         not null,
  hash          bytea        not null,
  stage         text         not null,
  method        text         not null,
  proved_at     timestamptz  not null,
  challenge     bytea,
  failures      integer      not null default 0,
  ip            text,
  user_agent    text,
  seen_at       timestamptz  not null,
  expires_at    timestamptz  not null,
  ended_at      timestamptz,
  created_at    timestamptz  not null,
  primary key (tenant, id),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint challenge_has_32_bytes check (octet_length(challenge) = 32),
  constraint stage_known check (stage in ('second_factor', 'set_up', 'full')),
  constraint method_known check (method in ('password', 'passkey', 'oidc', 'link')),
  constraint person_of_same_tenant foreign key (tenant, person) references people
);
create unique index console_sessions_one_per_hash on console_sessions (tenant, hash);
create unique index console_sessions_one_per_challenge on console_sessions (tenant, challenge);
create index console_sessions_of_person on console_sessions (tenant, person, created_at desc);
create index console_sessions_by_end on console_sessions (tenant, expires_at);
comment on table console_sessions is 'Sessions of people in the console. The cookie holds the secret, the row its hash.';
comment on column console_sessions.hash is 'SHA-256 of the cookie''s value.';
comment on column console_sessions.stage is '`second_factor`: the password was right, the second factor is awaited; `set_up`: a second factor must be set up first; `full`: signed in.';
comment on column console_sessions.method is 'What was shown first.';
comment on column console_sessions.proved_at is 'When the person last proved to be there; acts that matter ask for it to be recent.';
comment on column console_sessions.challenge is 'SHA-256 of the passkey challenge that this session answered: none is answered twice.';
comment on column console_sessions.failures is 'Wrong second factors so far.';
comment on column console_sessions.expires_at is 'The absolute end; without use it ends earlier.';
comment on column console_sessions.ended_at is 'Signed out, revoked or replaced; null: open until expires_at.';

create table oidc_providers (
  tenant          integer      not null,
  id              uuid         not null,
  issuer          text         not null,
  client_id       text         not null,
  client_secret   bytea        not null,
  email_domain    text         not null,
  role_for_new    text,
  required        boolean      not null default false,
  created_at      timestamptz  not null,
  updated_at      timestamptz  not null,
  primary key (tenant, id),
  constraint oidc_providers_one_per_tenant unique (tenant),
  constraint role_for_new_known check (role_for_new in ('developer', 'finance', 'support', 'viewer')),
  constraint email_domain_is_lower_case check (email_domain = lower(email_domain)),
  constraint tenant_exists foreign key (tenant) references tenants
);
comment on table oidc_providers is 'Where a tenant''s people sign in with OpenID Connect.';
comment on column oidc_providers.client_secret is 'Sealed. An empty issuer means that there is no provider any more.';
comment on column oidc_providers.email_domain is 'Only addresses of this domain are let in.';
comment on column oidc_providers.role_for_new is 'Role of people who come without an invitation; null: only the invited are let in.';
comment on column oidc_providers.required is 'Only owners may still use a password or a passkey.';
