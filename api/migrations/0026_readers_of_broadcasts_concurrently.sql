-- Broadcasts are mailed to their readers in the order of ids.
create index concurrently notifications_of_broadcasts on notifications (broadcast_id, user_id) where broadcast_id is not null;
