import { Skeleton, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { DateTimeField } from '../../ui/date-field.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useHolders } from './api.ts';
import classes from './address-holders.module.css';

/** Who had the exit IP at a time, for abuse reports. */
export function AddressHolders({ ip }: { ip: string }) {
  const { t } = useTranslation('staffConnections');
  const [time, setTime] = useState('');
  return (
    <Stack gap="sm" component="section" aria-label={t('holders.title', { ip })}>
      <Title order={3} size="h5">
        {t('holders.title', { ip })}
      </Title>
      <DateTimeField
        label={t('filter.at')}
        value={time}
        onChange={(chosen) => chosen !== undefined && setTime(chosen)}
      />
      {time !== '' && <Holders ip={ip} time={time} />}
    </Stack>
  );
}

export function Holders({ ip, time }: { ip: string; time: string }) {
  const { t } = useTranslation('staffConnections');
  const { rows, failure } = useHolders(ip, time);
  if (failure !== undefined) return <LoadFailure text={t('table.failed')} {...failure} />;
  if (rows === undefined) return <Skeleton height={44} radius="md" />;
  if (rows.length === 0) return <output>{t('holders.none')}</output>;
  return (
    <ul className={classes['holders']}>
      {rows.map(({ id, user, createdAt, disconnectAt }) => (
        <li key={id}>
          <UserLink user={user} />
          <Link to="/admin/connections" search={{ connection: id }}>
            {t('holders.connection')}
          </Link>
          <span>
            {t('holders.period', {
              from: formatDate(createdAt),
              to: disconnectAt === null ? t('holders.now') : formatDate(disconnectAt),
            })}
          </span>
        </li>
      ))}
    </ul>
  );
}
