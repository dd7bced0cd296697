create index concurrently tickets_words on tickets using gin (to_tsvector('simple', lower(name)));
