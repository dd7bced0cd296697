-- A change whose job has failed at all of its attempts is FAILED, with the reason. Staff then retry or dismiss it.
-- FAILED is not an end: the same order again finds the change, and retries it.
alter table catalogue_changes
  add column failure text,
  drop constraint catalogue_changes_status_check,
  drop constraint catalogue_changes_check,
  add constraint catalogue_changes_status_check
    check (status in ('WAITING', 'RUNNING', 'DONE', 'REFUSED', 'FAILED', 'DISMISSED')),
  add constraint catalogue_changes_check
    check ((status in ('DONE', 'REFUSED', 'DISMISSED')) = (ended_at is not null));
