alter table connections add constraint connections_user_id_fkey foreign key (user_id) references users not valid;
