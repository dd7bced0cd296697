-- The open tickets of a user, in each view. Few tickets are open, so the index is small.
create index concurrently ticket_desk_open_of_user on ticket_desk (user_id, created_at desc, ticket_id) include (waiting_since) where is_open;
-- What concerns a user, also by actor or action: the other columns save a read of the table for each entry. It replaces audit_log_user.
create index concurrently audit_log_of_user on audit_log (user_id, id desc) include (actor_id, action) where user_id is not null;
