-- Every word of a ticket's name. A search looks its words up here first, because the index of the tickets' words finds whole words much
-- faster than beginnings of words.
create table ticket_words (
  -- In the order of their bytes, so that a beginning is a range.
  word text collate "C" primary key
);

create function keep_ticket_words() returns trigger language plpgsql as $$
begin
  -- In one order, so that two transactions that add the same words do not wait for each other.
  insert into ticket_words select word from unnest(tsvector_to_array(new.words)) as word order by word collate "C" on conflict do nothing;
  return null;
end $$;
-- A trigger of the table, because processes of the previous release also write it. Its creation waits until all writers have ended.
create trigger ticket_desk_words_kept after insert or update of words on ticket_desk for each row execute function keep_ticket_words();
