-- The address that a proxy promises, unique among all that promise one. Null: it promises none, and is shown at the one that the checks of its
-- exit see.
alter table proxies alter column ip drop not null;
