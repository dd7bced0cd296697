-- users_listed_not_active begins with the same columns.
drop index users_newest_not_active;
