-- Country and operator of the address that the last successful check saw, by the operator's files. Null: unknown.
alter table exit_checks add column seen_country text, add column seen_asn bigint;
