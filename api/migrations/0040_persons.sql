-- The key of `person_of`: of the database alone, so that a change of SECRET_KEY changes nobody's identity.
create table person_keys (
  id boolean primary key default true check (id),
  key bytea not null
);
insert into person_keys (key) values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
-- Set when an account is deleted, and with it its address.
alter table users add column person bytea;
-- Null for credits that a process of the release before has given.
alter table trial_credits add column person bytea;
