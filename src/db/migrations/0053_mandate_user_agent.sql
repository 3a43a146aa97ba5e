-- compatible with: 0017
-- With which program a mandate was accepted: the User-Agent of the request.
alter table mandates add column accepted_user_agent text;
comment on column mandates.accepted_user_agent is 'As the program named itself that sent the acceptance; null where none did, or it was signed before this was kept.';
