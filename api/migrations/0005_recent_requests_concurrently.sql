-- Of the sums of the last 24 hours. An approved request counts from its approval.
create index concurrently staff_requests_recent on staff_requests (greatest(created_at, decided_at)) where status in ('APPLIED', 'APPROVED');
