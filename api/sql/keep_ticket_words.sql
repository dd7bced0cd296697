-- revision: 1
-- Adds the words of a ticket's name to the words that staff can search.
create or replace function keep_ticket_words() returns trigger language plpgsql as $$
begin
  -- In one order, so that two transactions that add the same words do not wait for each other.
  insert into ticket_words select word from unnest(tsvector_to_array(new.words)) as word order by word collate "C" on conflict do nothing;
  return null;
end $$;
