alter table faqs
  -- Rows with the same value are one entry in several languages. Null: the row is an entry by itself, with its own id.
  add column entry_id uuid,
  -- Counts the changes of the entry by staff; equal in all of its rows.
  add column version integer not null default 0,
  -- The author and their key: a repeated request creates no second entry.
  add column idempotency_key text;

-- Until now the languages had separate lists. Questions at the same position become one entry.
update faqs set entry_id = pair.entry_id
  from (select position, gen_random_uuid() as entry_id from faqs
         group by position having count(*) = 2 and count(distinct language_code) = 2) as pair
 where faqs.position = pair.position;
