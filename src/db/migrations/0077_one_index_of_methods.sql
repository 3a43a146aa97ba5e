-- compatible with: 0017
-- allowed: drop-or-rename: no code names an index, and the table is locked for a moment only
-- requests_not_post has all of its entries.
drop index requests_by_method;
