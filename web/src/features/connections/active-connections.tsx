import type { Connection } from '@cellhop/contract/connections';
import { useMediaQuery } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { List } from '../../data/use-list.ts';
import { formatMegabytes, formatMoney, formatTraffic, megabytePrice } from '../../format/format.ts';
import { PHONE_SCREEN } from '../../ui/breakpoints.ts';
import { Time } from '../../ui/columns.tsx';
import { CountryFlag } from '../../ui/country-flag.tsx';
import cards from '../../ui/link-card.module.css';
import classes from './active-connections.module.css';
import { isLive, useConnections } from './api.ts';
import { DisconnectButton } from './connections-table.tsx';
import { remainingTraffic } from './remaining-traffic.ts';

const CARDS_MAX = 6;
const PHONE_CARDS_MAX = 3;

interface ActiveConnectionsProps {
  connections: readonly Connection[];
  /** The connection that is being disconnected. */
  endingId: string | undefined;
  onDisconnect: (connection: Connection) => void;
}

/** The newest open connections as cards, with live traffic and cost. */
export function ActiveConnections({ connections, endingId, onDisconnect }: ActiveConnectionsProps) {
  const { t } = useTranslation('proxyConnection');
  const id = useId();
  const isPhone = useMediaQuery(PHONE_SCREEN, undefined, { getInitialValueInEffect: false });
  const shown = connections.slice(0, isPhone ? PHONE_CARDS_MAX : CARDS_MAX);
  if (shown.length === 0) return null;
  return (
    <section className={classes['active']} aria-labelledby={id}>
      <div className={classes['head']}>
        <h2 id={id}>{t('active.title')}</h2>
        {shown.length < connections.length && (
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
            onDisconnect={() => onDisconnect(connection)}
          />
        ))}
      </ul>
    </section>
  );
}

/** From the first page of all connections if that has all of them, because it is loaded anyway. */
export function useNewestActive(all: List<Connection>, isEnabled: boolean): readonly Connection[] {
  const isWhole = all.totalPages <= 1;
  const active = useConnections(1, { active: true }, isEnabled && all.rows !== undefined && !isWhole);
  if (!isEnabled) return [];
  return (isWhole ? all.rows : active.rows)?.filter(isLive) ?? [];
}

interface ActiveCardProps {
  connection: Connection;
  isEnding: boolean;
  onDisconnect: () => void;
}

function ActiveCard({ connection, isEnding, onDisconnect }: ActiveCardProps) {
  const { t } = useTranslation('proxyConnection');
  const { id, ip, label, countryCode, city, isp, trafficUsed, paidFor, createdAt } = connection;
  return (
    <li className={`${cards['card']} ${classes['card']}`}>
      <div className={classes['name']}>
        <CountryFlag code={countryCode} />
        <Link to="/connection-history" search={{ connection: id }} resetScroll={false}>
          {ip}
        </Link>
        <span className={classes['place']}>{label === '' ? `${city}, ${isp}` : label}</span>
      </div>
      <dl className={classes['figures']}>
        <div>
          <dt>{t('table.trafficUsed')}</dt>
          <dd>{formatTraffic(trafficUsed)}</dd>
        </div>
        <div>
          <dt>{t('table.paidFor')}</dt>
          <dd>{formatMoney(paidFor)}</dd>
        </div>
      </dl>
      <RemainingTraffic connection={connection} />
      <div className={classes['foot']}>
        <Time at={createdAt} />
        <DisconnectButton connection={connection} isLoading={isEnding} onClick={onDisconnect} />
      </div>
    </li>
  );
}

/** How much is left of what is paid or allowed; without that, what a further megabyte costs. */
function RemainingTraffic({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const remaining = remainingTraffic(connection);
  if (remaining === undefined)
    return (
      <p className={classes['remaining']}>
        {t('active.further', { price: formatMoney(megabytePrice(connection.price)) })}
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
