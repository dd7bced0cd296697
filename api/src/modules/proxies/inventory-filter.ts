/** The filter of staff's lists, exports and bulk changes, as SQL conditions on the table `proxies`. */
import type { InventoryFilter } from '@cellhop/contract/staff/inventory';
import type { ProxyState } from '@cellhop/contract/staff/inventory.values';
import { parseAddressPrefix } from '@cellhop/contract/network';

/** Each condition implies that of a partial index: those of the catalogue, or `proxies_not_free`. */
const ofState: Record<ProxyState, string> = {
  FREE: 'connection_id is null and is_healthy',
  SOLD: 'connection_id is not null',
  RETIRED: 'not is_healthy and retired_at is not null',
  UNCHECKED: `not is_healthy and not is_exit_healthy and exit_id in (select exit_id from exit_states where health = 'UNCHECKED')`,
  UNHEALTHY: `not is_healthy and not is_exit_healthy and exit_id in (select exit_id from exit_states where health <> 'UNCHECKED')`,
  DRAINING: 'not is_healthy and is_node_draining',
  SPENT: 'not is_healthy and is_over_budget',
  ELSEWHERE: `(connection_id is not null or retired_at is null) and exists (
    select from exit_states where exit_states.exit_id = proxies.exit_id and (seen_country <> country_code or seen_asn <> asn))`,
};
const NOT_FREE = '(connection_id is not null or not is_healthy)';

/** Exactly the proxies that a member of staff saw. */
export interface SeenProxies {
  filter: InventoryFilter;
  count: number;
  fingerprint: string;
  reason?: string | undefined;
}

export interface Conditions {
  /** Begins with a condition. */
  text: string;
  values: unknown[];
}

/** @param values the statement's values before those of the conditions */
export function toConditions(filter: InventoryFilter, values: readonly unknown[] = []): Conditions {
  const all = [...values];
  const conditions = [filter.state === undefined ? 'true' : ofState[filter.state]];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    all.push(value);
    conditions.push(condition(`$${all.length}`));
  };
  add(
    (network) =>
      `(ip <<= ${network}::inet or ip is null and exit_id in (select exit_id from exit_states where seen_address <<= ${network}::inet))`,
    filter.ip === undefined ? undefined : parseAddressPrefix(filter.ip),
  );
  // The catalogue's indexes are ordered by price only within one value.
  const [country, ...otherCountries] = filter.country ?? [];
  if (otherCountries.length > 0) add((countries) => `country_code = any(${countries}::text[])`, filter.country);
  else add((value) => `country_code = ${value}`, country);
  const [isp, ...otherIsps] = filter.isp ?? [];
  if (otherIsps.length > 0) add((isps) => `isp = any(${isps}::text[])`, filter.isp);
  else add((value) => `isp = ${value}`, isp);
  add((node) => `exit_id in (select id from readable_exits where node_name = ${node})`, filter.node);
  add((ids) => `id = any(${ids}::uuid[])`, filter.id);
  return { text: conditions.join(' and '), values: all };
}

/** The parts into which the table is divided, because free proxies and all others are in different indexes. */
export function tableParts({ state }: InventoryFilter): readonly string[] {
  if (state === undefined || state === 'ELSEWHERE') return [ofState.FREE, NOT_FREE];
  return [state === 'FREE' ? ofState.FREE : NOT_FREE];
}
