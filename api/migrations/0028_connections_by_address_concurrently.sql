-- Who had an address; and the rows that are not filled in yet.
create index concurrently connections_of_address on connections (address, created_at desc, id);
