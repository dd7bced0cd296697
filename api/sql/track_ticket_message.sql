-- revision: 1
-- Keeps the row of ticket_desk up to date when a ticket gets a message. Messages of a ticket are inserted under its lock.
create or replace function track_ticket_message() returns trigger language plpgsql as $$
begin
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
