-- Clients from these networks use the connection without its password. Of open connections only.
create table allowed_networks (
  connection_id uuid not null references connections,
  network cidr not null,
  primary key (connection_id, network)
);
create index allowed_networks_by_address on allowed_networks using gist (network inet_ops);

-- From where clients used a connection's password: only such addresses may be put on its allow-list. Of open connections only.
create table client_addresses (
  connection_id uuid not null references connections,
  address inet not null,
  used_at timestamptz not null default now(),
  primary key (connection_id, address)
);
create index client_addresses_by_age on client_addresses (used_at);
