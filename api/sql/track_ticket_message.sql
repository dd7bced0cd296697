-- revision: 2
-- Keeps the row of ticket_desk up to date when a ticket gets a message. Messages of a ticket are inserted under its lock.
create or replace function track_ticket_message() returns trigger language plpgsql as $$
begin
  -- Tickets from before migration 0054 may have no row yet.
  insert into ticket_desk (ticket_id, created_at, is_open, user_id, words)
  select id, created_at, status = 'OPEN', user_id, to_tsvector('simple', lower(name)) from tickets where id = new.ticket_id
  on conflict (ticket_id) do nothing;
  if new.is_user then
    update ticket_desk set waiting_since = new.created_at where ticket_id = new.ticket_id and waiting_since is null;
  else
    update ticket_desk
       set waiting_since = null,
           first_reply_at = coalesce(
             first_reply_at, (select new.created_at from tickets where id = new.ticket_id and author_id = user_id))
     where ticket_id = new.ticket_id and (waiting_since is not null or first_reply_at is null);
  end if;
  return null;
end $$;
