create index concurrently audit_log_user on audit_log (user_id, id desc) where user_id is not null;
