import type { Connection } from '@cellhop/contract/connections';

/** The name of a connection in a list: its label, if any, and its location. */
export function nameOf({ label, ip, city, countryCode }: Pick<Connection, 'label' | 'ip' | 'city' | 'countryCode'>) {
  const place = `${ip} · ${city}, ${countryCode}`;
  return label === '' ? place : `${label} · ${place}`;
}
