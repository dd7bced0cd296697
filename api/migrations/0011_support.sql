create table faqs (
  id uuid primary key default gen_random_uuid(),
  language_code text not null check (language_code in ('en', 'ru')),
  question text not null,
  response text not null,
  -- Where it stands in its language's list; equal ones by age.
  position integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index faqs_listed on faqs (language_code, position, created_at, id);

create table tickets (
  id uuid primary key default gen_random_uuid(),
  -- Whose ticket it is.
  user_id uuid not null references users,
  -- Who wrote it: the user, or the staff for him.
  author_id uuid not null references users,
  name text not null,
  description text not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'CLOSED')),
  idempotency_key text,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  closed_by uuid references users,
  check ((status = 'CLOSED') = (closed_at is not null))
);
create index tickets_of_user on tickets (user_id, created_at desc, id);
create index tickets_newest on tickets (created_at desc, id);
create unique index tickets_idempotency on tickets (author_id, idempotency_key) where idempotency_key is not null;

create table ticket_messages (
  id uuid primary key default gen_random_uuid(),
  -- The order in which they came; two of one moment have one too.
  number bigint generated always as identity,
  ticket_id uuid not null references tickets,
  author_id uuid not null references users,
  -- Written on the user's side of the ticket, not by the support team.
  is_user boolean not null,
  content text not null,
  idempotency_key text,
  created_at timestamptz not null default now()
);
create index ticket_messages_newest on ticket_messages (ticket_id, number desc);
create unique index ticket_messages_idempotency on ticket_messages (author_id, idempotency_key)
  where idempotency_key is not null;
