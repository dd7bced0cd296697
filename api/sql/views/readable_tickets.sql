-- revision: 1
-- of: tickets
-- The tickets of users, without their messages.
create or replace view readable_tickets as
select id, user_id, author_id, name, status, created_at, closed_at from tickets;
