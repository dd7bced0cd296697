-- revision: 1
-- Which person an email address belongs to, as far as the address shows it: mail to name+tag reaches name, and Gmail ignores dots.
-- A function and not a column: a column would rewrite the table of users, and there is one definition for old and new rows.
create or replace function folded_email(email text) returns text language sql immutable strict parallel safe
return (
  select case when domain in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com'
              else name || '@' || domain end
    from (select lower(substring(email from '@([^@]*)$')) as domain,
                 -- An address such as +a@example.com has nothing before its tag; the tag is its name.
                 lower(coalesce(nullif(substring(email from '^([^+@]*)'), ''), substring(email from '^([^@]*)'))) as name) as parts
);
