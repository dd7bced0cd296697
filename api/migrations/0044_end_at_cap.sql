alter type end_reason add value if not exists 'CAP';
alter type requested_end add value if not exists 'CAP';
