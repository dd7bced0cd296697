import type { ConnectionCheck } from '@cellhop/contract/connection-checks';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatAge } from '../../format/format.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import classes from './check-result.module.css';

interface CheckResultProps {
  /** Undefined before the first test. */
  check: ConnectionCheck | undefined;
  isRunning: boolean;
}

/** What the last test found. Its element is there before the text, so that screen readers notice the text. */
export function CheckResult({ check, isRunning }: CheckResultProps) {
  const { t } = useTranslation('proxyConnection');
  const isOk = check?.state === 'OK';
  return (
    <output className={classes['result']}>
      {isRunning && <p className={classes['running']}>{t('check.RUNNING')}</p>}
      {!isRunning && check !== undefined && (
        <div className={classes['found']} data-ok={isOk}>
          {isOk ? <IconCircleCheck size={20} aria-hidden="true" /> : <IconAlertTriangle size={20} aria-hidden="true" />}
          {isOk ? <Works check={check} /> : <p>{t(`check.${check.state}`)}</p>}
        </div>
      )}
    </output>
  );
}

function Works({ check }: { check: ConnectionCheck }) {
  const { t } = useTranslation('proxyConnection');
  const now = useTenSeconds();
  const { address, latencyMs, countryCode, city, isp, checkedAt } = check;
  return (
    <div className={classes['facts']}>
      <p>
        <strong>{t('check.OK')}</strong>
        {latencyMs !== null && ` ${t('check.latency', { latency: latencyMs })}`}
      </p>
      {address !== null && <code>{address}</code>}
      <p className={classes['place']}>
        <CountryFlag code={countryCode} hasName />
        <span>{`${city} · ${isp}`}</span>
        {checkedAt !== null && <span>{t('check.ago', { ago: formatAge(checkedAt, now) })}</span>}
      </p>
    </div>
  );
}
