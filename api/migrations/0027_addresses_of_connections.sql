-- The public address that was sold: the one that the proxy promised, or else the one that the last check of its exit had seen. Null in rows of
-- the release before, until a job has filled them in.
alter table connections add column address inet;
