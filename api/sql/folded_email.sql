-- revision: 1
-- Normalizes an email address, to find addresses of one mailbox: mail to name+tag reaches name, and Gmail ignores dots.
-- A function rather than a column, which would rewrite the users table. Old and new rows share one definition.
create or replace function folded_email(email text) returns text language sql immutable strict parallel safe
return (
  select case when domain in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com'
              else name || '@' || domain end
    from (select lower(substring(email from '@([^@]*)$')) as domain,
                 -- An address such as +a@example.com has no name before its tag, so the tag is the name.
                 lower(coalesce(nullif(substring(email from '^([^+@]*)'), ''), substring(email from '^([^@]*)'))) as name) as parts
);
