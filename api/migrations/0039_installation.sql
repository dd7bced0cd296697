-- One row. The releases that may run on this schema, such as {0,4,0}, and a fingerprint of the key that encrypts stored secrets: null until
-- the first start of a release that knows it.
create table installation (
  is_only boolean primary key default true check (is_only),
  oldest_release integer[] not null,
  newest_release integer[] not null,
  key_fingerprint bytea
);
