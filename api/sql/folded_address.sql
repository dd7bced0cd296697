-- revision: 1
-- The mailbox that an address reaches, by the rules that its provider publishes: names after a plus, characters in names that it ignores or
-- treats as another, and domains of one mailbox. `folded_email` is for processes of the release before.
create or replace function folded_address(email text) returns text language sql immutable strict parallel safe
return (
  select translate(name, coalesce(characters, ''), coalesce(replacements, '')) || '@' || coalesce(mailbox, domain)
    from (
      -- Fastmail delivers what is sent to any name at a sub-domain to the account that the sub-domain names.
      select coalesce(substring(given_domain from '^([^.]+)\.fastmail\.(?:com|fm)$'), given_name) as name,
             coalesce(substring(given_domain from '^[^.]+\.(fastmail\.(?:com|fm))$'), given_domain) as domain
        from (
          select lower(substring(email from '@([^@]*)$')) as given_domain,
                 -- An address such as +a@example.com has no name before its tag, so the tag is the name.
                 lower(coalesce(nullif(substring(email from '^([^+@]*)'), ''), substring(email from '^([^@]*)'))) as given_name
        ) as given
    ) as parts
    left join (values
      ('gmail.com', 'gmail.com', '.', ''),
      ('googlemail.com', 'gmail.com', '.', ''),
      ('yandex.ru', 'yandex.ru', '-', '.'),
      ('yandex.com', 'yandex.ru', '-', '.'),
      ('yandex.by', 'yandex.ru', '-', '.'),
      ('yandex.kz', 'yandex.ru', '-', '.'),
      ('yandex.ua', 'yandex.ru', '-', '.'),
      ('ya.ru', 'yandex.ru', '-', '.'),
      ('narod.ru', 'yandex.ru', '-', '.'),
      ('proton.me', 'proton.me', '.-_', ''),
      ('protonmail.com', 'proton.me', '.-_', ''),
      ('protonmail.ch', 'proton.me', '.-_', ''),
      ('pm.me', 'proton.me', '.-_', ''),
      ('icloud.com', 'icloud.com', '', ''),
      ('me.com', 'icloud.com', '', ''),
      ('mac.com', 'icloud.com', '', '')
    ) as providers (of_domain, mailbox, characters, replacements) on of_domain = domain
);
