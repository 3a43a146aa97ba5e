-- A mandate whose record named another creditor than the bank was told from the start: what was signed is kept, and the bank has nothing to learn.
alter table mandate_amendments add column known_to_bank boolean not null default false;

update mandate_amendments set known_to_bank = true where kind = 'creditor' and sent_at = at;
