-- Partial, so that PostgreSQL does not take it for what foreign keys refer to: purchases never wait for a change of a key.
create unique index concurrently exits_by_key on exits (node_id, key) where key is not null;
