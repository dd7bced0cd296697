import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import { asnText, type Place, placeNames } from '@cellhop/contract/places.values';
import { supportedProtocols } from '@cellhop/contract/proxies.values';
import { useTranslation } from 'react-i18next';
import { CountryFlag } from './country-flag.tsx';
import type { Fact } from './facts.tsx';
import { useLimitFacts } from './limit-facts.ts';

/** Where a proxy is, and what it accepts: in the details of proxies and of connections, for customers and for staff. */
export function useProxyDetails({ limits, ...place }: Place & { limits: ConnectionLimits }): Fact[] {
  const { t } = useTranslation('common');
  return [
    ...placeNames.flatMap((name) => {
      if (name === 'countryCode')
        return { label: t('location.country'), value: <CountryFlag code={place[name]} hasName /> };
      if (name === 'asn') return place[name] === null ? [] : { label: t('location.asn'), value: asnText(place[name]) };
      return { label: t(`location.${name}`), value: place[name] };
    }),
    { label: t('location.protocols'), value: supportedProtocols.join(', ') },
    ...useLimitFacts(limits),
  ];
}
