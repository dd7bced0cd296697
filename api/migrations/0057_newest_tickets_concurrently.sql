create index concurrently ticket_desk_newest on ticket_desk (created_at desc, ticket_id);
