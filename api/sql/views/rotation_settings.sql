-- revision: 1
-- of: rotation
-- What customers have set up for changes of the addresses of their connections: the link, encrypted, and the timer.
create or replace view rotation_settings as
select connection_id, secret_encrypted, every_minutes from connection_rotations;
