-- revision: 1
-- Prices are for 100 MB (the domain price_micros) and divisible by 100. The contract's units.ts has the
-- same rule; a test compares the two.
create or replace function megabyte_price(price_micros bigint) returns bigint language sql immutable parallel safe
return price_micros / 100;
