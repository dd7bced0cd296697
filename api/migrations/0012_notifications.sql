-- What is told to everybody, or to some: written once, and only referred to by the notifications of its readers.
create table broadcasts (
  id uuid primary key default gen_random_uuid(),
  -- By language: { "en": { "description": html, "content": html or null }, "ru": ... }, sanitised.
  texts jsonb not null,
  -- Who gets it; null: everybody.
  language_code text check (language_code in ('en', 'ru')),
  user_ids uuid[],
  -- The staff member; null: the program itself.
  created_by uuid references users,
  created_at timestamptz not null default now(),
  -- Null until the last reader has it.
  sent_at timestamptz
);

create table notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  -- One per business event: the same event told again changes nothing.
  idempotency_key text not null,
  -- The sentence is made when it is read, in the language that its reader has then.
  kind text not null,
  details jsonb not null,
  broadcast_id uuid references broadcasts check ((kind = 'BROADCAST') = (broadcast_id is not null)),
  created_at timestamptz not null default now(),
  read_at timestamptz,
  unique (user_id, idempotency_key)
) with (fillfactor = 85);
create index notifications_of_user on notifications (user_id, created_at desc, id);
create index notifications_unread on notifications (user_id) where read_at is null;
create index notifications_created on notifications (created_at);

-- Users who have been told that their balance is low, and have not been above the threshold since.
create table low_balance_warnings (
  id bigint generated always as identity primary key,
  user_id uuid not null unique references users,
  threshold_micros bigint not null
);

-- Months (UTC, the first day) whose changes of level have been told.
create table referral_month_turns (
  month date primary key,
  turned_at timestamptz not null default now()
);

-- Nobody is told late of a change before this table was here.
insert into referral_month_turns (month) values (date_trunc('month', now() at time zone 'UTC'));

-- A referrer is there before his referral and is never exchanged, so no chain of referrers is a loop.
create function refuse_other_referrer() returns trigger language plpgsql as $$
begin
  raise exception 'a referrer is for ever';
end $$;
create trigger users_keep_referrer before update of referrer_id on users
  for each row when (new.referrer_id is not null and new.referrer_id is distinct from old.referrer_id)
  execute function refuse_other_referrer();
