-- revision: 1
-- of: audit-log
-- Who did what, and whom it concerns.
create or replace view readable_audit_log as
select id, created_at, actor_id, action, subject_type, subject_id, user_id, ip, device, details from audit_log;
