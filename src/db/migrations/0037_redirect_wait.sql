-- compatible with: 0017
-- How long a customer who has paid stays on the page until the shop's receiver knows of it.
alter table hosted_pages add column redirect_wait_seconds integer not null default 10
  constraint redirect_wait_is_0_to_30_seconds check (redirect_wait_seconds between 0 and 30);
comment on column hosted_pages.redirect_wait_seconds is
  'How long the way back to the shop waits for the receiver of the completed event to acknowledge it; 0: it does not wait.';
