-- revision: 1
-- of: notifications
-- Notifications of users, with the texts of broadcasts.
create or replace view readable_notifications as
select notifications.id, user_id, notifications.kind, details, broadcasts.texts, notifications.created_at, read_at
  from notifications left join broadcasts on broadcasts.id = broadcast_id;
