import { isCountryCode } from '@cellhop/contract/countries.values';
import type { InventoryFilter } from '@cellhop/contract/staff/inventory';
import { type ProxyState, proxyStates } from '@cellhop/contract/staff/inventory.values';

/** The texts of the filter's fields; '' for no filter. */
export interface FilterTexts {
  ip: string;
  /** Separated by commas, as is `isp`. */
  country: string;
  isp: string;
  node: string;
  state: string;
}

export function toTexts({ ip = '', country = [], isp = [], node = '', state }: InventoryFilter): FilterTexts {
  return { ip, country: country.join(', '), isp: isp.join(', '), node, state: state ?? '' };
}

export function toFilter({ ip, country, isp, node, state }: FilterTexts): InventoryFilter {
  const [countries, isps] = [toCodes(country), splitList(isp)];
  const known = proxyStates.find((each): each is ProxyState => each === state);
  return {
    ...(ip.trim() !== '' && { ip: ip.trim() }),
    ...(countries.length > 0 && { country: countries }),
    ...(isps.length > 0 && { isp: isps }),
    ...(node.trim() !== '' && { node: node.trim() }),
    ...(known !== undefined && { state: known }),
  };
}

/**
 * Of a typed list.
 * @param applied codes of the applied filter, which are kept: older releases imported other codes, to which the dashboard links
 */
export function readCountries(text: string, applied: readonly string[] = []): { codes: string[]; unknown: string[] } {
  const codes = toCodes(text);
  return { codes, unknown: codes.filter((code) => !isCountryCode(code) && !applied.includes(code)) };
}

export function isEmpty(filter: InventoryFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

function toCodes(text: string): string[] {
  return splitList(text.toUpperCase());
}

function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return [...new Set(items)].filter((item) => item !== '');
}
