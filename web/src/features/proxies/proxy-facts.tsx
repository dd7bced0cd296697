import type { Proxy } from '@cellhop/contract/proxies';
import { useTranslation } from 'react-i18next';
import { formatMoney, megabytePrice, prepaidPrice } from '../../format/format.ts';
import { protocolNames } from '../../format/protocols.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { Facts } from '../../ui/facts.tsx';

export function ProxyFacts({ proxy }: { proxy: Proxy }) {
  const { t } = useTranslation(['proxy', 'common']);
  return (
    <Facts
      items={[
        { label: t('common:location.ip'), value: proxy.ip },
        { label: t('detail.price'), value: formatMoney(prepaidPrice(proxy.price)) },
        { label: t('detail.megabytePrice'), value: formatMoney(megabytePrice(proxy.price)) },
        { label: t('common:location.country'), value: <CountryFlag code={proxy.countryCode} hasName /> },
        { label: t('common:location.region'), value: proxy.region },
        { label: t('common:location.city'), value: proxy.city },
        { label: t('common:location.zip'), value: proxy.zip },
        { label: t('common:location.isp'), value: proxy.isp },
        { label: t('common:location.connectionType'), value: proxy.connectionType },
        { label: t('common:location.protocols'), value: protocolNames() },
      ]}
    />
  );
}
