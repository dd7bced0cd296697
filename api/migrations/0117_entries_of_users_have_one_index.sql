-- audit_log_of_user has the same order and more columns.
drop index audit_log_user;
