-- Since when a tenth of the exits of the gateway fail. Null: they do not.
alter table gateway_nodes add column failing_since timestamptz;
