-- When the database was last seen complete (WITNESS_FILE has it, too): after a restore, the difference is what was lost.
create table witness_time (
  is_only boolean primary key default true check (is_only),
  seen_at timestamptz not null
);
