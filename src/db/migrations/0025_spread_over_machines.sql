-- compatible with: 0017
-- allowed: unknown: altering when a tie is checked changes the catalogue only, and locks both tables for a moment
-- allowed: new-rule: the triggers refuse what they refused before
-- Citus runs the parts of one statement one after the other: a row may point at one that a later part of it inserts.
alter table transactions
  alter constraint subscription_of_same_tenant deferrable initially deferred;
alter table integration_postback_keys
  alter constraint activity_of_same_tenant deferrable initially deferred;

-- A trigger that names truncate stays on the coordinator of a Citus cluster; the others go to the workers.
create or replace trigger audit_log_is_append_only before delete on audit_log
  for each statement execute function refuse_change();
create trigger audit_log_is_not_emptied before truncate on audit_log
  for each statement execute function refuse_change();
create or replace trigger audit_chain_is_append_only before delete on audit_chain
  for each statement execute function refuse_change();
create trigger audit_chain_is_not_emptied before truncate on audit_chain
  for each statement execute function refuse_change();
create or replace trigger session_moves_is_append_only before update or delete on session_moves
  for each statement execute function refuse_change();
create trigger session_moves_is_not_emptied before truncate on session_moves
  for each statement execute function refuse_change();
