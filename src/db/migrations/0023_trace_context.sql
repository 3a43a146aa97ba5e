-- compatible with: 0017
-- Where the work on a payment goes on, in whichever process and however much later, it belongs to the same trace.
alter table transactions add column traceparent text;
comment on column transactions.traceparent is
  'W3C Trace Context of the request or job that has opened the attempt; null when no collector was named then.';
