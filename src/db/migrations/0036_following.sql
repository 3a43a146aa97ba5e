-- What a file has said and the payments do not have yet; what went to the bank and was not answered.
create index sepa_news_following on sepa_news (tenant, file_id) where acknowledged_at is null;
create index sepa_collections_unanswered on sepa_collections (tenant, file_id, due_date) where state = 'batched';
