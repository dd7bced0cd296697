-- Whom one wallet has paid for.
create index concurrently deposits_by_sender on deposits (sender) where sender is not null;
