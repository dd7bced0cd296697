-- Mails of transactions that move money, which enqueue no jobs: the worker queues them. The payload is that of their job, encrypted.
create table unqueued_mails (
  mail_id uuid primary key,
  payload jsonb not null,
  created_at timestamptz not null default clock_timestamp()
);
