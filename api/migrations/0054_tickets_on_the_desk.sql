-- Tickets from before the triggers. A message that this statement does not see yet has put its ticket's row there itself.
insert into ticket_desk (ticket_id, created_at, is_open, waiting_since, first_reply_at)
select tickets.id, tickets.created_at, status = 'OPEN',
       case when last_is_user then coalesce(
              (select min(created_at) from ticket_messages
                where ticket_id = tickets.id and number > coalesce(last_of_staff, 0)), tickets.created_at)
            when last_is_user is null and author_id = user_id then tickets.created_at end,
       case when author_id = user_id then replied_at end
  from tickets
  left join (
    select ticket_id, min(created_at) filter (where not is_user) as replied_at,
           max(number) filter (where not is_user) as last_of_staff,
           (array_agg(is_user order by number desc))[1] as last_is_user
      from ticket_messages group by ticket_id) as messages on messages.ticket_id = tickets.id
on conflict (ticket_id) do update
  set first_reply_at = least(ticket_desk.first_reply_at, excluded.first_reply_at),
      waiting_since = case when ticket_desk.waiting_since is not null
                           then least(ticket_desk.waiting_since, excluded.waiting_since) end;
