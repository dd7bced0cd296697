import { connectionStrings } from '@cellhop/contract/access-strings';
import type { Connection } from '@cellhop/contract/connections';
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { List } from '../../data/use-list.ts';
import { formatMegabytes, formatTraffic, megabytePrice } from '../../format/format.ts';
import { formatMegabytePrice } from '../../format/money.ts';
import { useCopy } from '../../hooks/use-copy.ts';
import { PHONE_SCREEN } from '../../ui/breakpoints.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import cards from '../../ui/link-card.module.css';
import hidden from '../../ui/visually-hidden.module.css';
import { Money } from '../../ui/money.tsx';
import classes from './active-connections.module.css';
import { isLive, useConnectionCheck, useConnections } from './api.ts';
import { CheckResult } from './check-result.tsx';
import { ReplaceOffer } from './replace-offer.tsx';
import { RotateButton, RotationState } from './rotation.tsx';
import { DisconnectButton, InfoButton } from './connections-table.tsx';
import { remainingTraffic } from './remaining-traffic.ts';

const CARDS_MAX = 6;
const PHONE_CARDS_MAX = 3;

interface ActiveConnectionsProps {
  active: NewestActive;
  /** The connection that is being disconnected. */
  endingId: string | undefined;
  onShow: (connection: Connection) => void;
  onDisconnect: (connection: Connection) => void;
}

/** The newest open connections as cards: live traffic and cost, and what they are used with. The list below has only the others. */
export function ActiveConnections({
  active: { shown, hasMore },
  endingId,
  onShow,
  onDisconnect,
}: ActiveConnectionsProps) {
  const { t } = useTranslation('proxyConnection');
  const id = useId();
  if (shown.length === 0) return null;
  return (
    <section className={classes['active']} aria-labelledby={id}>
      <div className={classes['head']}>
        <h2 id={id}>{t('active.title')}</h2>
        {hasMore && (
          <Link to="/connection-history" search={{ active: true }}>
            {t('active.all')}
          </Link>
        )}
      </div>
      <ul className={cards['cards']}>
        {shown.map((connection) => (
          <ActiveCard
            key={connection.id}
            connection={connection}
            isEnding={endingId === connection.id}
            onShow={() => onShow(connection)}
            onDisconnect={() => onDisconnect(connection)}
          />
        ))}
      </ul>
    </section>
  );
}

interface NewestActive {
  shown: readonly Connection[];
  hasMore: boolean;
  /** Known once the list is loaded. */
  hasNone: boolean;
}

/** From the first page of all connections if that has all of them, because it is loaded anyway. */
export function useNewestActive(all: List<Connection>, isEnabled: boolean): NewestActive {
  const isPhone = useMediaQuery(PHONE_SCREEN, undefined, { getInitialValueInEffect: false });
  const isWhole = all.totalPages <= 1;
  const active = useConnections(1, { active: true }, isEnabled && all.rows !== undefined && !isWhole);
  if (!isEnabled) return { shown: [], hasMore: false, hasNone: false };
  const open = (isWhole ? all.rows : active.rows)?.filter(isLive);
  const shown = open?.slice(0, isPhone ? PHONE_CARDS_MAX : CARDS_MAX) ?? [];
  return { shown, hasMore: shown.length < (open?.length ?? 0), hasNone: open?.length === 0 };
}

interface ActiveCardProps {
  connection: Connection;
  isEnding: boolean;
  onShow: () => void;
  onDisconnect: () => void;
}

function ActiveCard({ connection, isEnding, onShow, onDisconnect }: ActiveCardProps) {
  const { t } = useTranslation('proxyConnection');
  const { id, ip, label, countryCode, city, isp, trafficUsed, paidFor } = connection;
  return (
    <li className={`${cards['card']} ${classes['card']}`}>
      <div className={classes['name']}>
        <CountryFlag code={countryCode} />
        <Link to="/connection-history" search={{ connection: id }} resetScroll={false}>
          {ip}
        </Link>
        <span className={classes['place']}>{label === '' ? `${city}, ${isp}` : label}</span>
        <InfoButton connection={connection} onClick={onShow} />
      </div>
      <dl className={classes['figures']}>
        <div>
          <dt>{t('table.trafficUsed')}</dt>
          <dd>{formatTraffic(trafficUsed)}</dd>
        </div>
        <div>
          <dt>{t('table.paidFor')}</dt>
          <dd>
            <Money dollars={paidFor} />
          </dd>
        </div>
      </dl>
      <RemainingTraffic connection={connection} />
      <div className={classes['foot']}>
        <QuickAccess connection={connection} />
        <DisconnectButton connection={connection} isLoading={isEnding} onClick={onDisconnect} />
      </div>
    </li>
  );
}

/** The access as one string, and a test of the exit. The details have all formats. */
function QuickAccess({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const { isCopied, copy } = useCopy();
  const check = useConnectionCheck();
  const { id, ip, password } = connection;
  if (password === null) return undefined;
  return (
    <>
      <Button
        size="compact-sm"
        variant="light"
        aria-label={t('active.copyOf', { ip })}
        onClick={() => void copy(connectionStrings({ ...connection, password })[1])}
      >
        {t(isCopied ? 'access.copied' : 'access.copy')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={check.isRunning}
        aria-label={t('active.testOf', { ip })}
        onClick={() => void check.run(id)}
      >
        {t('access.test')}
      </Button>
      <RotateButton connection={connection} />
      <output className={hidden['visuallyHidden']}>{isCopied ? t('access.copied') : ''}</output>
      <div className={classes['result']}>
        <CheckResult check={check.result} isRunning={check.isRunning} />
        <ReplaceOffer connection={connection} check={check.result} />
        <RotationState connection={connection} />
      </div>
    </>
  );
}

/** How much is left of what is paid or allowed; without that, what a further megabyte costs. */
function RemainingTraffic({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const remaining = remainingTraffic(connection);
  if (remaining === undefined)
    return (
      <p className={classes['remaining']}>
        {t('active.further', { price: formatMegabytePrice(megabytePrice(connection.price)) })}
      </p>
    );
  return (
    <div className={classes['remaining']}>
      <div className={classes['bar']} aria-hidden="true">
        <div style={{ width: `${remaining.usedPercent}%` }} />
      </div>
      {t(`active.left.${remaining.kind}`, {
        left: formatMegabytes(remaining.leftKibibytes),
        of: remaining.ofMegabytes,
      })}
    </div>
  );
}
