-- A broadcast may begin at a chosen time, is cancelled until it begins, and may be mailed to its readers as well.
alter table broadcasts
  -- When the delivery begins; null: at once.
  add column scheduled_at timestamptz,
  -- Null until the delivery begins, and for broadcasts that a process of the release before has delivered.
  add column started_at timestamptz,
  add column cancelled_at timestamptz,
  -- The member of staff; null: the program, because the author may no longer send.
  add column cancelled_by uuid references users,
  add column is_mailed boolean not null default false,
  -- How many mails are queued so far, and the last reader that was considered, in the order of their ids.
  add column mail_count integer not null default 0,
  add column mailed_until uuid,
  -- Null until the last mail is queued.
  add column mails_ended_at timestamptz,
  add check (started_at is null or cancelled_at is null);
