-- The hash of the secret that a sign-up has left in its browser, where its confirmation link signs in, too. Null for other codes, for those
-- that a process of the release before has made, and as soon as it has signed in.
alter table mail_codes add column browser_hash bytea;
