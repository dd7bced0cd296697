-- Which mails a user was sent, for staff: no addresses, texts, links or codes. Deleted after 90 days.
create table sent_mails (
  id uuid primary key,
  user_id uuid not null references users,
  template text not null,
  language_code text not null,
  queued_at timestamptz not null default clock_timestamp(),
  -- The mail server has accepted it.
  sent_at timestamptz,
  -- The last attempt failed, or the link of the mail had expired.
  failed_at timestamptz
);
create index sent_mails_of_user on sent_mails (user_id, queued_at desc, id);
create index sent_mails_queued on sent_mails (queued_at);
