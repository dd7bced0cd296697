-- Reversed deposits that are in a block again; there are few.
create index concurrently deposits_returning on deposits (chain) where state = 'REVERSED' and block_hash is not null;
