-- revision: 1
-- of: proxies, rotation
-- Exits whose address customers can change, and the last change of each. Not those that several proxies use: it would change for others, too.
create or replace view rotation_states as
select exit_id, cooldown_seconds, changes_per_hour, last.connection_id as last_connection_id, ordered_at, called_at, finished_at, outcome,
       coalesce(new_address, old_address) as last_address
  from exit_rotations as rotations
  left join lateral (
    select connection_id, ordered_at, called_at, finished_at, outcome, old_address, new_address from exit_changes
     where exit_changes.exit_id = rotations.exit_id order by ordered_at desc limit 1
  ) as last on true
 where (select count(*) from (select from proxies where proxies.exit_id = rotations.exit_id limit 2) as users) = 1;
