-- For staff: the tickets of a user, words of tickets, and lists that are sorted by another column than their filter.
create index concurrently ticket_desk_of_user on ticket_desk (user_id, created_at desc, ticket_id);
create index concurrently ticket_desk_words on ticket_desk using gin (words) with (fastupdate = off);
create index concurrently ticket_desk_words_of_open on ticket_desk using gin (words) with (fastupdate = off) where is_open;
create index concurrently invoices_of_user_by_amount on invoices (user_id, amount_micros, id);
create index concurrently users_by_email_of_referrer on users (referrer_id, email) include (id) where referrer_id is not null;
