-- Gateways read the list in this order, by pages.
create index concurrently refused_destinations_by_name on refused_destinations (destination);
