-- Where the buyer was signed in at the purchase: an IPv4 address, or the /64 of an IPv6 address, as gateways count clients. Gateways let
-- clients from there in first while strangers flood them. Rows of open connections only.
create table purchase_networks (
  connection_id uuid primary key references connections,
  network text not null,
  created_at timestamptz not null default now()
);
