-- What staff need to work on tickets. A table of its own: to fill columns of `tickets` in would rewrite it, and customers'
-- statements never read this.
create table ticket_desk (
  ticket_id uuid primary key references tickets,
  -- As in tickets, for the indexes.
  created_at timestamptz not null,
  is_open boolean not null,
  -- Since when the customer waits: their first message that staff have not answered. Null if staff wrote last.
  waiting_since timestamptz,
  -- Of staff, to a ticket that the customer opened.
  first_reply_at timestamptz,
  assignee_id uuid references users,
  -- Counts the changes of the assignee.
  version integer not null default 0
);
create index ticket_desk_open on ticket_desk (created_at desc, ticket_id) where is_open;
create index ticket_desk_waiting on ticket_desk (waiting_since, ticket_id) where is_open and waiting_since is not null;
create index ticket_desk_assigned on ticket_desk (assignee_id, created_at desc, ticket_id) where is_open and assignee_id is not null;
create index ticket_desk_replied on ticket_desk (created_at desc) include (first_reply_at) where first_reply_at is not null;

-- Customers never see them.
create table ticket_notes (
  id uuid primary key default gen_random_uuid(),
  -- The order in which they came.
  number bigint generated always as identity,
  ticket_id uuid not null references tickets,
  author_id uuid not null references users,
  content text not null,
  idempotency_key text,
  created_at timestamptz not null default now()
);
create index ticket_notes_newest on ticket_notes (ticket_id, number desc);
create unique index ticket_notes_idempotency on ticket_notes (author_id, idempotency_key) where idempotency_key is not null;

create table canned_replies (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  content_en text not null,
  content_ru text not null,
  author_id uuid not null references users,
  idempotency_key text,
  version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index canned_replies_listed on canned_replies (title, id);
create unique index canned_replies_idempotency on canned_replies (author_id, idempotency_key) where idempotency_key is not null;

-- Triggers, because processes of the previous release also write tickets.
create function track_ticket() returns trigger language plpgsql as $$
begin
  insert into ticket_desk (ticket_id, created_at, is_open, waiting_since)
  values (new.id, new.created_at, new.status = 'OPEN', case when new.author_id = new.user_id then new.created_at end)
  on conflict (ticket_id) do update set is_open = excluded.is_open;
  return null;
end $$;
create trigger tickets_tracked after insert or update of status on tickets for each row execute function track_ticket();

create function track_ticket_message() returns trigger language plpgsql as $$
begin
  -- Tickets from before migration 0054 may have no row yet.
  insert into ticket_desk (ticket_id, created_at, is_open)
  select id, created_at, status = 'OPEN' from tickets where id = new.ticket_id
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
create trigger ticket_messages_tracked after insert on ticket_messages for each row execute function track_ticket_message();
