import { type FilterGroup, filterGroups } from '@cellhop/contract/places.values';
import { type ProxyFilter, type ProxyQuery } from '@cellhop/contract/proxies';

export interface Kind {
  name: string;
  isWorst: boolean;
  /** The n-th filter of this kind. */
  make(n: number): ProxyQuery;
}

/** Typical filters of customers, and the worst filters that the API accepts, built from existing values. */
export function filterKinds(filter: ProxyFilter): Kind[] {
  const largest = Object.fromEntries(
    filterGroups.map((group) => [
      group,
      Object.entries(filter[group])
        .toSorted(([, a], [, b]) => b - a)
        .map(([value]) => value),
    ]),
  ) as Record<FilterGroup, string[]>;
  const pick = (group: FilterGroup, n: number) => largest[group][(n * 7919) % largest[group].length]!;
  const broad = (group: FilterGroup, n: number) => largest[group][n % 5]!;
  const some = (group: FilterGroup, n: number, count: number) => [
    ...new Set(Array.from({ length: count }, (_, index) => pick(group, n * count + index))),
  ];
  /** Operators of other countries. */
  const foreign = (country: string) =>
    largest.isp.filter((isp) => isp.startsWith('Operator ') && !isp.startsWith(`Operator ${toNumber(country)}-`));
  const typical = (name: string, make: Kind['make']): Kind => ({ name, isWorst: false, make });
  const worst = (name: string, make: Kind['make']): Kind => ({ name, isWorst: true, make });
  return [
    typical('no filter', () => ({})),
    typical('one country', (n) => ({ country: [pick('country', n)] })),
    typical('the largest countries', (n) => ({ country: [broad('country', n)] })),
    typical('one city', (n) => ({ city: [pick('city', n)] })),
    typical('one ZIP', (n) => ({ zip: [pick('zip', n)] })),
    typical('one operator', (n) => ({ isp: [pick('isp', n)] })),
    typical('country and operator', (n) => ({ country: [broad('country', n)], isp: [broad('isp', n >> 1)] })),
    typical('country and LTE', (n) => ({ country: [pick('country', n)], connectionType: ['LTE'] })),
    typical('three countries, 5G', (n) => ({ country: some('country', n, 3), connectionType: ['5G'] })),
    worst('very broad: LTE and 5G', () => ({ connectionType: ['LTE', '5G'] })),
    worst('very broad: 100 countries', (n) => ({ country: some('country', n, 100) })),
    worst('100 ZIPs', (n) => ({ zip: some('zip', n, 100) })),
    worst('100 ZIPs of another country', (n) => ({ zip: some('zip', n, 100), country: [broad('country', n)] })),
    worst('100 cities', (n) => ({ city: largest.city.slice(n % 50, (n % 50) + 100) })),
    worst('contradictory: country and foreign operators', (n) => {
      const country = broad('country', n);
      return { country: [country], isp: foreign(country).slice(0, 5), connectionType: ['LTE', '5G'] };
    }),
    worst('contradictory: five countries, six operators', (n) => ({
      country: largest.country.slice(n % 5, (n % 5) + 5),
      isp: largest.isp.filter((isp) => isp.startsWith('Operator ')).slice(40 + (n % 10), 46 + (n % 10)),
    })),
    worst('contradictory: 100 operators, 100 cities', (n) => {
      const country = broad('country', n);
      const isLocal = (city: string) => city.startsWith(`City ${toNumber(country)}-`);
      return { city: largest.city.filter(isLocal).slice(0, 100), isp: foreign(country).slice(0, 100) };
    }),
  ];
}

/** The number from which `insertProxies` derived a country code. */
function toNumber(countryCode: string): number {
  return (countryCode.charCodeAt(0) - 65) * 26 + countryCode.charCodeAt(1) - 65;
}
