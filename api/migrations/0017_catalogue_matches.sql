-- What a walk by price cannot decide (groups with hardly anything in common) is looked up exactly. Each of these has a
-- place, what lies around it, the operator and the connection type: whichever values a filter gives, the index alone tells
-- what matches, and a catalogue of a million takes no page of the table for what does not. One entry stands for all proxies
-- that are alike in these columns, so the four together are smaller than the table's own key. They take the place of the
-- index of tags: merging its lists cost more than reading the proxies when a filter had many values.
create index proxies_free_in_zip on proxies (zip, city, region, country_code, isp, connection_type)
  where connection_id is null and is_healthy;
create index proxies_free_in_city on proxies (city, region, country_code, isp, connection_type)
  where connection_id is null and is_healthy;
create index proxies_free_in_region on proxies (region, country_code, isp, connection_type)
  where connection_id is null and is_healthy;
create index proxies_free_in_country on proxies (country_code, isp, connection_type)
  where connection_id is null and is_healthy;

drop index proxies_free_tags;
drop function free_proxy_tags(uuid, boolean, text, text, text, text, text, text);
