-- Staff search by the address of a client.
create index concurrently client_addresses_by_address on client_addresses (address);
