-- Questions at the same position in both languages are one entry (0060). Where statistics said that the table has one row, 0060 gave
-- each of the two an id of its own, because the subquery with the random id ran once per row. Such pairs, unchanged since, become one.
with pair as materialized (
  select position, gen_random_uuid() as entry_id from faqs
   group by position
  having count(*) = 2 and count(distinct language_code) = 2 and count(distinct entry_id) = 2
     and max(version) = 0 and count(idempotency_key) = 0
)
update faqs set entry_id = pair.entry_id from pair where faqs.position = pair.position;
