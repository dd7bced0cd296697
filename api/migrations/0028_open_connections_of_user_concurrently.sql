-- A purchase counts the buyer's open connections; without this it would read their whole history.
create index concurrently connections_open_of_user on connections (user_id) where status = 'WORK';
