import type { Session } from '@cellhop/contract/auth';
import { Button } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { deviceText, isPhone } from './device-text.ts';
import classes from './session-line.module.css';

interface SessionLineProps {
  session: Session;
  isEnding: boolean;
  onEnd: () => void;
}

export function SessionLine({ session: { device, ip, usedAt, isCurrent }, isEnding, onEnd }: SessionLineProps) {
  const { t } = useTranslation('user');
  const name = deviceText(device, t);
  const Icon = isPhone(device) ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <li className={classes['session']}>
      <Icon className={classes['icon']} size={24} stroke={1.5} aria-hidden="true" />
      <div className={classes['text']}>
        <p className={classes['device']}>
          {name}
          {isCurrent && <StatusBadge tone="good" text={t('sessions.current')} />}
        </p>
        <p className={classes['details']}>
          <span>{ip}</span>
          <span>{t('sessions.usedAt', { date: formatDate(usedAt) })}</span>
        </p>
      </div>
      {!isCurrent && (
        <Button
          variant="default"
          aria-label={t('sessions.endOf', { device: name, ip })}
          loading={isEnding}
          onClick={onEnd}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
