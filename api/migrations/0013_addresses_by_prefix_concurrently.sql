-- Staff search by the beginning of an address.
create index concurrently deposit_addresses_by_prefix on deposit_addresses (address text_pattern_ops);
