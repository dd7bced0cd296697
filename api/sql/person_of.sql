-- revision: 1
-- A person: the keyed hash of a folded address, which stays with facts about deleted accounts. Null for what is no address any more.
create or replace function person_of(email text) returns bytea language sql stable strict parallel safe
return (select sha256(key || sha256(key || convert_to(folded_address(email), 'UTF8'))) from person_keys);
