-- revision: 1
-- Paid for when a connection is bought; of the contract's limits.ts.
create or replace function prepaid_megabytes() returns bigint language sql immutable parallel safe
return 50::bigint;
