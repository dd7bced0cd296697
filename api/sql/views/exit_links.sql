-- revision: 1
-- of: rotation
-- Encrypted links of farms, and how often each may be called. For imports, which compare them, and exports, which say that there is one.
create or replace view exit_links as
select exit_id, link_encrypted, cooldown_seconds, changes_per_hour from exit_rotations;
