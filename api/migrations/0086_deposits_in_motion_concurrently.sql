-- What a poll may change without reading a payment; there are few.
create index concurrently deposits_in_motion on deposits (chain)
  where state in ('SEEN', 'INCLUDED') or (state = 'CREDITED' and orphaned_at is not null);
create index concurrently deposits_of_block on deposits (chain, block_hash) where block_hash is not null;
create index concurrently deposits_of_address on deposits (address_id);
