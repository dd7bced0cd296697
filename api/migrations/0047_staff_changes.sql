-- The audit log also has entries about other things than users. Roles and the command line have no id: such entries have a type only.
alter table audit_log
  drop constraint audit_log_subject_type_check,
  drop constraint audit_log_check,
  add constraint audit_log_subject_has_type check (subject_id is null or subject_type is not null) not valid,
  -- The user whom an entry concerns, such as the payer of its invoice. Older entries have it as their subject.
  add column user_id uuid;

-- Counts the changes of a user by staff, so that nobody overwrites a change that they have not seen.
alter table users add column version integer not null default 0;
