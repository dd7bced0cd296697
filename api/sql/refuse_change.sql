-- revision: 1
-- For the triggers of append-only tables, and of tables without deletion: transfers, accounts, connections, users and the audit log.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
