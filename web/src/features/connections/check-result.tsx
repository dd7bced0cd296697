import type { ConnectionCheck } from '@cellhop/contract/connection-checks';
import { operatorText } from '@cellhop/contract/places.values';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { countryName, formatAge } from '../../format/format.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import classes from './check-result.module.css';

/** The clock of screens is rounded up to ten seconds: a test of this moment would be one of up to ten seconds ago. */
const JUST_NOW_MS = 20_000;

interface CheckResultProps {
  /** Undefined before the first test. */
  check: ConnectionCheck | undefined;
  isRunning: boolean;
}

/** What the last test found. Its element is there before the text, so that screen readers notice the text. */
export function CheckResult({ check, isRunning }: CheckResultProps) {
  const { t } = useTranslation('proxyConnection');
  const isOk = check?.state === 'OK';
  const isAsSold = isOk && !isElsewhere(check);
  return (
    <output className={classes['result']}>
      {isRunning && <p className={classes['running']}>{t('check.RUNNING')}</p>}
      {!isRunning && check !== undefined && (
        <div className={classes['found']} data-ok={isAsSold}>
          {isAsSold ? (
            <IconCircleCheck size={20} aria-hidden="true" />
          ) : (
            <IconAlertTriangle size={20} aria-hidden="true" />
          )}
          {isOk ? <Works check={check} /> : <p>{t(`check.${check.state}`)}</p>}
        </div>
      )}
    </output>
  );
}

function Works({ check }: { check: ConnectionCheck }) {
  const { t } = useTranslation('proxyConnection');
  const now = useTenSeconds();
  const { latencyMs, countryCode, city, isp, checkedAt } = check;
  return (
    <div className={classes['facts']}>
      <p>
        <strong>{t(isElsewhere(check) ? 'check.different' : 'check.OK')}</strong>
        {latencyMs !== null && ` ${t('check.latency', { latency: latencyMs })}`}
      </p>
      <Seen check={check} />
      <p className={classes['place']}>
        <CountryFlag code={countryCode} hasName />
        <span>{`${city} · ${isp}`}</span>
        {checkedAt !== null && (
          <span>
            {now - Date.parse(checkedAt) < JUST_NOW_MS
              ? t('check.justNow')
              : t('check.ago', { ago: formatAge(checkedAt, now) })}
          </span>
        )}
      </p>
    </div>
  );
}

function isElsewhere({ isAsSold }: ConnectionCheck): boolean {
  return Object.values(isAsSold ?? {}).includes(false);
}

/** What the check has seen, each compared with the catalogue where both are known. */
function Seen({ check }: { check: ConnectionCheck }) {
  const { t, i18n } = useTranslation('proxyConnection');
  const { address, ip, countryCode, seenPlace, resolver, isAsSold } = check;
  const nameOf = (code: string) => countryName(code, i18n.resolvedLanguage ?? 'en');
  return (
    <ul className={classes['seen']}>
      {address !== null && (
        <Fact isAsSold={isAsSold?.address} sold={ip}>
          <code>{address}</code>
        </Fact>
      )}
      {seenPlace?.countryCode != null && (
        <Fact isAsSold={isAsSold?.country} sold={nameOf(countryCode)}>
          {t('check.country', { seen: nameOf(seenPlace.countryCode) })}
        </Fact>
      )}
      {seenPlace != null && operatorText(seenPlace) !== '' && (
        <Fact isAsSold={isAsSold?.operator} sold={operatorText(check)}>
          {t('check.operator', { seen: operatorText(seenPlace) })}
        </Fact>
      )}
      {resolver != null && (
        <Fact isAsSold={resolver.isCountryAsSold} sold={nameOf(countryCode)}>
          {t('check.resolver', {
            seen: [resolver.address, resolver.countryCode === null ? '' : nameOf(resolver.countryCode)]
              .filter(Boolean)
              .join(', '),
          })}
        </Fact>
      )}
      {(['udp', 'ipv6'] as const).map(
        (key) =>
          check[key] != null && (
            <li key={key}>{t(`check.${key}`, { seen: t(check[key] ? 'check.works' : 'check.worksNot') })}</li>
          ),
      )}
    </ul>
  );
}

interface FactProps {
  isAsSold: boolean | null | undefined;
  sold: string;
  children: ReactNode;
}

function Fact({ isAsSold, sold, children }: FactProps) {
  const { t } = useTranslation('proxyConnection');
  return (
    <li>
      <span>{children}</span>
      {isAsSold != null && (
        <span data-different={!isAsSold}>{isAsSold ? t('check.asSold') : t('check.soldAs', { sold })}</span>
      )}
    </li>
  );
}
