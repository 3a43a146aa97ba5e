-- Answers of receivers that are still kept: a job forgets them after a month.
create index webhook_attempts_answers_kept on webhook_attempts (at) where response_body is not null;
