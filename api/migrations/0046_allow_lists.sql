-- Clients from these networks need no password. Rows of open connections only.
create table allowed_networks (
  connection_id uuid not null references connections,
  network cidr not null,
  primary key (connection_id, network)
);
create index allowed_networks_by_address on allowed_networks using gist (network inet_ops);

-- Client addresses that used a connection's password: only these may be on its allow-list. Rows of open connections only.
create table client_addresses (
  connection_id uuid not null references connections,
  address inet not null,
  used_at timestamptz not null default now(),
  primary key (connection_id, address)
);
create index client_addresses_by_age on client_addresses (used_at);
