-- revision: 1
-- Of the triggers on tables whose rows stay: transfers, accounts, connections, users and the audit log.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
