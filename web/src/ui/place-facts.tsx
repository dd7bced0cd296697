import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import { supportedProtocols } from '@cellhop/contract/proxies.values';
import { useTranslation } from 'react-i18next';
import { CountryFlag } from './country-flag.tsx';
import type { Fact } from './facts.tsx';
import { useLimitFacts } from './limit-facts.ts';

interface Place {
  countryCode: string;
  region: string;
  city: string;
  zip: string;
  isp: string;
  connectionType: string;
  limits: ConnectionLimits;
}

/** Where a proxy is, and what it accepts: in the details of proxies and of connections, for customers and for staff. */
export function usePlaceFacts({ countryCode, region, city, zip, isp, connectionType, limits }: Place): Fact[] {
  const { t } = useTranslation('common');
  return [
    { label: t('location.country'), value: <CountryFlag code={countryCode} hasName /> },
    { label: t('location.region'), value: region },
    { label: t('location.city'), value: city },
    { label: t('location.zip'), value: zip },
    { label: t('location.isp'), value: isp },
    { label: t('location.connectionType'), value: connectionType },
    { label: t('location.protocols'), value: supportedProtocols.join(', ') },
    ...useLimitFacts(limits),
  ];
}
