-- What exits carry besides tunnels, by the last test. Null: not tested, or nothing is known.
alter table exit_checks
  add column udp_works boolean,
  add column ipv6_works boolean,
  add column dns_works boolean,
  add column resolver inet,
  add column capabilities_at timestamptz;
