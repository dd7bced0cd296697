-- revision: 1
-- `charged_at` comes from charge_time. Megabytes `first` to `last` are counted from 1, both inclusive. The amount of a refund is negative.
create or replace function charge_hash(
  previous bytea, connection_id uuid, number integer, charged_at text, kind text, first bigint, last bigint,
  uploaded_bytes bigint, downloaded_bytes bigint, megabyte_micros bigint, amount_micros bigint
) returns bytea language sql stable
return sha256(convert_to(concat_ws(
  E'\n', 'cellhop-charge-1', encode(coalesce(previous, decode(repeat('00', 32), 'hex')), 'hex'), connection_id, number,
  charged_at, kind, first, last, uploaded_bytes, downloaded_bytes, megabyte_micros, amount_micros
), 'UTF8'));
