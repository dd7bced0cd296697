-- What a node can do. Null: it has said hello to a process of the release before.
alter table gateway_runs add column contract_version integer;
