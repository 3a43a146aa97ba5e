-- compatible with: 0017
alter table ebics_users
  add column unanswered_since timestamptz,
  add column former bytea;
comment on column ebics_users.unanswered_since is
  'Since when INI or HIA with these keys has had no answer: the bank may have them. Null: it has said what it has.';
comment on column ebics_users.former is
  'Sealed: the user as it was with the keys that these are to replace, until the bank has said which it has.';
