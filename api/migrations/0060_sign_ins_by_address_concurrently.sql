-- Staff search by the address of a sign-in.
create index concurrently audit_log_sign_ins on audit_log (ip, created_at desc) where action = 'SIGN_IN' and ip is not null;
