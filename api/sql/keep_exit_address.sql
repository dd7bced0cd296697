-- revision: 1
-- Keeps the addresses of an exit by time when a check has seen another one, or none that is public.
create or replace function keep_exit_address() returns trigger language plpgsql as $$
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
