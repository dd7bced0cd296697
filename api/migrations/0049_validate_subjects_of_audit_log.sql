-- Apart from adding it, so that nothing waits for the check of old rows.
alter table audit_log validate constraint audit_log_subject_has_type;
