-- Since when a notice of the bank's waits to be taken: the books check tells of those that wait too long.
alter table sepa_news add column written_at timestamptz not null default now();
