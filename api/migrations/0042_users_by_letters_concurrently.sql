-- Accounts of one person have the same name without separators and tag.
create index concurrently users_by_letters on users (translate(substring(email from '^([^+@]*)'), '.-_', ''));
