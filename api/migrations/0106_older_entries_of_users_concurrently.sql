-- Only entries that were written before the column user_id are in it.
create index concurrently audit_log_of_subject_before on audit_log (subject_id, id desc) where user_id is null and subject_type = 'USER';
