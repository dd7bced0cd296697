-- Staff who see the app as a user does. The audit log keeps who, whom and why; these rows go when they have expired.
create table view_sessions (
  id uuid primary key,
  viewer_id uuid not null references users,
  -- It ends with the sign-in of the member of staff.
  viewer_session_id uuid not null,
  user_id uuid not null references users,
  created_at timestamptz not null default now(),
  expired_at timestamptz not null,
  ended_at timestamptz
);
create index view_sessions_expired on view_sessions (expired_at);
