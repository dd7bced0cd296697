-- Destinations that no customer may reach: names, names with everything below them, and networks.
create table refused_destinations (
  id uuid primary key default gen_random_uuid(),
  -- The name of the file's list; empty: staff have entered it.
  list text not null,
  destination text not null,
  reason text,
  created_at timestamptz not null default now(),
  unique (list, destination)
);
create index refused_destinations_in_order on refused_destinations (created_at desc, id);

-- Another value after each change, which a restored database does not repeat. Nodes that have this one are not sent the list.
create table refused_destinations_revision (
  only_row boolean primary key default true check (only_row),
  revision uuid not null default gen_random_uuid()
);
insert into refused_destinations_revision default values;
