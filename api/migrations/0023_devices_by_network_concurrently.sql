-- Who else has signed in from a network, the last ones first.
create index concurrently known_devices_by_network on known_devices (network, seen_at desc);
