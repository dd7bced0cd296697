-- Files in messages of tickets. Until a message has it, only its author knows a file; it is deleted after a day.
create table ticket_files (
  id uuid primary key default gen_random_uuid(),
  -- The order of arrival.
  number bigint generated always as identity,
  ticket_id uuid not null references tickets,
  message_id uuid references ticket_messages,
  author_id uuid not null references users,
  name text not null,
  -- By its content, without what pictures tell of place and device.
  type text not null,
  size integer not null,
  content bytea not null,
  created_at timestamptz not null default now()
);
-- All types are compressed already.
alter table ticket_files alter column content set storage external;
create index ticket_files_of_ticket on ticket_files (ticket_id);
create index ticket_files_of_message on ticket_files (message_id, number);
create index ticket_files_of_author on ticket_files (author_id);
create index ticket_files_unsent on ticket_files (created_at) where message_id is null;
