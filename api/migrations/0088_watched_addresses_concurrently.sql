create index concurrently deposit_addresses_watched on deposit_addresses (address_space, watched_until);
create index concurrently deposit_addresses_of_account on deposit_addresses (wallet_account_id, derivation_index);
create index concurrently deposit_addresses_of_owner on deposit_addresses (user_id, address_space);
