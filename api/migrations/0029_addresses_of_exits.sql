-- The public addresses of each exit by time, as its checks saw them: who had an address at a time is found here for exits whose address
-- changes. A trigger writes it, whichever release saves the check.
create table exit_addresses (
  exit_id uuid not null references exits on delete cascade,
  address inet not null,
  since timestamptz not null,
  -- Null: it has the address now.
  until timestamptz,
  primary key (exit_id, since)
);
create unique index exit_addresses_open on exit_addresses (exit_id) where until is null;
create index exit_addresses_by_address on exit_addresses (address, since);
create index exit_addresses_ended on exit_addresses (until) where until is not null;

create function keep_exit_address() returns trigger language plpgsql as $$
begin
  -- Nobody had the address if no connection was open meanwhile: an exit that nobody uses keeps one row, however often its address changes.
  delete from exit_addresses
   where exit_id = new.exit_id and until is null
     and not exists (select from connections where connections.exit_id = new.exit_id and ended_at is null)
     and not exists (select from connections where connections.exit_id = new.exit_id and ended_at > since);
  update exit_addresses set until = clock_timestamp() where exit_id = new.exit_id and until is null;
  if new.seen_address is not null then
    insert into exit_addresses (exit_id, address, since) values (new.exit_id, new.seen_address, clock_timestamp());
  end if;
  return null;
end $$;
-- Not called by the checks that see the same address again, which are nearly all.
create trigger exit_addresses_kept after update of seen_address on exit_checks
  for each row when (old.seen_address is distinct from new.seen_address) execute function keep_exit_address();

insert into exit_addresses (exit_id, address, since)
select exit_id, seen_address, succeeded_at from exit_checks where seen_address is not null and succeeded_at is not null;
