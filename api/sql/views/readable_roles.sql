-- revision: 1
-- of: users
-- Roles and their permissions.
create or replace view readable_roles as
select name, permissions from roles;
