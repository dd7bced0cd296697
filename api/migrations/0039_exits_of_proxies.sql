-- Null: the exit of the column before, on whatever node, as in versions without exits of their own. It stays filled for processes of these.
alter table proxies add column exit_id uuid references exits;
