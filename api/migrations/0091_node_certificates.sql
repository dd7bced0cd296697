-- The certificate with which a gateway serves https proxies, from its last heartbeat; null: none.
alter table gateway_nodes add column certificate_names text[], add column certificate_ends_at timestamptz;
