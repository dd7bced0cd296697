insert into ticket_words
select distinct word collate "C" from ticket_desk, unnest(tsvector_to_array(words)) as word order by 1
on conflict do nothing;
