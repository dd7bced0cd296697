-- What customers of a node are told to connect to. Null: the settings GATEWAY_HOST and GATEWAY_PORT.
alter table gateway_nodes
  add column public_host text,
  add column public_port integer,
  add constraint public_address_is_whole check (num_nulls(public_host, public_port) <> 1),
  add constraint public_port_is_port check (public_port between 1 and 65535);
