-- What the operator limits on each proxy: ports of destinations, tunnels and speed. Null: the setting of the shop.
alter table proxies
  add column port_rule text,
  add column tunnels_max integer,
  add column bytes_per_second_max integer;
