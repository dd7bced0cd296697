-- revision: 1
-- Megabytes included in a purchase. The same constant is in the contract's limits.ts; a test compares the two.
create or replace function prepaid_megabytes() returns bigint language sql immutable parallel safe
return 50::bigint;
