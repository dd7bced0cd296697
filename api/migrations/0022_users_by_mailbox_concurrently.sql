-- Accounts of one person: equal folded addresses have the same name without dots and tag.
create index concurrently users_by_mailbox on users (replace(substring(email from '^([^+@]*)'), '.', ''));
