-- When receivers hear of a payment is settled with its acceptance: the gateway's setting may change before the money is there.
-- Null: not a session's payment, or accepted by an older version, which asks the gateway.
alter table transactions add column completed_event_at text
  constraint transactions_completed_event_at_known check (completed_event_at in ('acceptance', 'settlement'));

update transactions t
   set completed_event_at = case when t.status <> 'pending' then g.completed_event_at
                                 when exists (select from events e
                                               where e.tenant = t.tenant and e.session_id = t.session_id
                                                 and e.type = 'payment_session.completed') then 'acceptance'
                                 else 'settlement' end
  from gateways g
 where g.tenant = t.tenant and g.id = t.gateway_id and t.session_id is not null
   and t.status in ('submitted', 'unresolved', 'awaiting_verification', 'verifying', 'pending');

-- References whose news could not be written down. The gateway keeps the notices; they are tried again when `due_at` has come.
create table gateway_news_set_aside (
  tenant      integer     not null references tenants,
  gateway_id  uuid        not null,
  reference   text        not null,
  kind        text        not null check (kind in ('settled', 'returned', 'charged_back')), -- of the notice that failed
  why         text        not null check (char_length(why) <= 500),
  tries       integer     not null default 1 check (tries > 0),
  since       timestamptz not null,
  due_at      timestamptz not null,
  primary key (tenant, gateway_id, reference),
  foreign key (tenant, gateway_id) references gateways
);
