-- Resets of customers' second factors that staff have asked for and nobody has stopped yet; the audit log has the others.
create table second_factor_resets (
  user_id uuid primary key references users,
  author_id uuid not null references users,
  -- Of the link that stops it.
  code_hash bytea not null unique,
  -- The mail with the link: the day begins when it was sent.
  mail_id uuid not null,
  -- Of the factor at the request. Another one shows that it was used, also at a process of the release before.
  last_step bigint not null,
  requested_at timestamptz not null default now(),
  due_at timestamptz not null
);
create index second_factor_resets_by_author on second_factor_resets (author_id);
create index second_factor_resets_due on second_factor_resets (due_at);
