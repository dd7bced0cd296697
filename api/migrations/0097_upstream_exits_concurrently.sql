-- What an import compares: upstream proxies with credentials, and those without.
create index concurrently exits_credentials_hash on exits (credentials_hash) where credentials_hash is not null;
create index concurrently exits_upstream_host on exits (upstream_host, upstream_port) where upstream_host is not null;
-- What key rotation reads.
create index concurrently exits_with_credentials on exits (created_at, id) where credentials_encrypted is not null;
