-- compatible with: 0017
alter table sessions add column opened_at timestamptz;
comment on column sessions.opened_at is
  'When a browser first showed its payment page, as the page''s script says; null: never, or scripts do not run.';
