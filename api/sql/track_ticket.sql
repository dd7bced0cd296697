-- revision: 1
-- Keeps the row of ticket_desk up to date when a ticket is opened or closed.
create or replace function track_ticket() returns trigger language plpgsql as $$
begin
  insert into ticket_desk (ticket_id, created_at, is_open, waiting_since, user_id, words)
  values (new.id, new.created_at, new.status = 'OPEN', case when new.author_id = new.user_id then new.created_at end, new.user_id,
          to_tsvector('simple', lower(new.name)))
  on conflict (ticket_id) do update set is_open = excluded.is_open, words = excluded.words;
  return null;
end $$;
