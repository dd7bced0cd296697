-- A refresh token names its generation and proves it with a keyed hash over session, generation and salt: one hash tells whether
-- a token was ever one of the session's, however old it is.
--
-- A process of the version before goes on as it did: it writes `refresh_token_hash` alone. So `generation_token_hash`, which it
-- does not know, tells which form the current token has: the new one where both hashes are equal.
alter table sessions
  add column generation integer not null default 0,
  add column refresh_salt bytea,
  add column generation_token_hash bytea,
  -- The last token of the old form, kept so that its reuse is still noticed.
  add column legacy_token_hash bytea;
