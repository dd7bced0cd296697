-- Broadcasts that staff send: to whom, how many have it, and once per key.
alter table broadcasts
  -- Null: whether they have an open connection does not matter.
  add column has_open_connection boolean,
  add column registered_from timestamptz,
  add column registered_before timestamptz,
  add column idempotency_key text,
  -- Who has it so far.
  add column reader_count integer not null default 0;
update broadcasts set reader_count = (select count(*) from notifications where broadcast_id = broadcasts.id);
create index broadcasts_newest on broadcasts (created_at desc, id);
create unique index broadcasts_idempotency on broadcasts (created_by, idempotency_key) where idempotency_key is not null;

-- What staff tell one user: its key names its author, and serves for one user alone.
create unique index notifications_of_staff on notifications (idempotency_key) where kind = 'MESSAGE';

-- How many messages a user has written within the last hour, in all of his tickets.
create index ticket_messages_of_user on ticket_messages (author_id, created_at) where is_user;
