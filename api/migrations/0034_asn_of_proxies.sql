-- The number of the operator's autonomous system, of 32 bits without a sign. Null: unknown.
alter table proxies add column asn bigint;
