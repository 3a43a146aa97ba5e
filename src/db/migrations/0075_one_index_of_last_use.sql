-- compatible with: 0017
-- allowed: drop-or-rename: no code names an index, and the table is locked for a moment only
-- mandates_lapsing has the same entries in the same order, with more columns behind: each mandate that was used wrote both.
drop index mandates_last_used;
comment on index mandates_lapsing is 'What the job that ends unused mandates looks through, and the list of those that are about to end.';
