-- revision: 1
-- Prices are for 100 MB (the domain price_micros), and such that a megabyte's is whole. Of the contract's units.ts, which has the
-- same rule for the programs: a test compares the two.
create or replace function megabyte_price(price_micros bigint) returns bigint language sql immutable parallel safe
return price_micros / 100;
