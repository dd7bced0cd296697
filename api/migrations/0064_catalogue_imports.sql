-- A file of proxies that has been read and checked. Nothing of it is in the catalogue until it is applied.
create table catalogue_imports (
  id uuid primary key default gen_random_uuid(),
  -- Null: the operator at the command line.
  actor_id uuid,
  file_name text not null,
  content_sha256 bytea not null,
  new_count integer not null,
  changed_count integer not null,
  unchanged_count integer not null,
  created_at timestamptz not null default now(),
  applied_at timestamptz
);
create index catalogue_imports_of_actor on catalogue_imports (actor_id) where applied_at is null;
create index catalogue_imports_created on catalogue_imports (created_at);

-- Deleted when the import is applied or forgotten.
create table catalogue_import_rows (
  import_id uuid not null references catalogue_imports on delete cascade,
  ip inet not null,
  price_micros bigint not null,
  country_code text not null,
  region text not null,
  city text not null,
  zip text not null,
  isp text not null,
  connection_type text not null,
  node_id uuid not null,
  exit_kind exit_kind not null,
  -- Empty: the host's own route.
  exit_address text not null,
  primary key (import_id, ip)
);
