import { addressSpaces, SOURCES_RECOMMENDED } from '@cellhop/contract/chains';
import type { SystemState } from '@cellhop/contract/staff/system';
import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate, formatDecimal, formatTraffic } from '../../format/format.ts';
import { Facts } from '../../ui/facts.tsx';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { nameOfChain, nameOfSpace } from './chain-names.ts';
import classes from './system-figures.module.css';

const BYTES_PER_KIB = 1024;
const tones: Record<SystemState['reconciliation']['status'], Tone> = {
  OK: 'good',
  BROKEN: 'bad',
  NEVER_RUN: 'neutral',
};

/** The check of all money, the chains and the database. */
export function SystemFigures({ state }: { state: SystemState }) {
  return (
    <Stack gap="xl">
      <Money reconciliation={state.reconciliation} />
      <Chains chains={state.chains} />
      <Accounts accounts={state.accounts} />
      <RateSources sources={state.rateSources} peg={state.peg} />
      <Database database={state.database} />
    </Stack>
  );
}

function Money({ reconciliation }: Pick<SystemState, 'reconciliation'>) {
  const { t } = useTranslation(['staffSystem', 'transaction']);
  const { status, violationCount, violations, checkedAt, durationMs } = reconciliation;
  return (
    <Section id="money" title={t('money.title')}>
      <Facts
        items={[
          {
            label: t('money.result'),
            value: (
              <StatusBadge
                tone={tones[status]}
                text={t(`transaction:reconciliation.${status}`, { count: violationCount })}
              />
            ),
          },
          { label: t('money.checkedAt'), value: checkedAt === null ? '—' : formatDate(checkedAt) },
          {
            label: t('money.duration'),
            value: durationMs === null ? '—' : t('money.milliseconds', { count: Math.round(durationMs) }),
          },
        ]}
      />
      {violations.length > 0 && (
        <ul className={classes['violations']}>
          {violations.map((violation) => (
            <li key={violation}>{violation}</li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Chains({ chains }: Pick<SystemState, 'chains'>) {
  const { t } = useTranslation('staffSystem');
  return (
    <Section id="chains" title={t('chains.title')}>
      <Facts items={chains.map((each) => ({ label: nameOfChain(each.chain), value: <Chain chain={each} /> }))} />
    </Section>
  );
}

function Chain({ chain }: { chain: SystemState['chains'][number] }) {
  const { t } = useTranslation('staffSystem');
  const { isWatched, problem, detail, since, headHeight, lagBlocks, sources, unwatchedAddresses } = chain;
  const { openDeposits, heldDeposits, differences, warnings } = chain;
  const facts = [
    detail,
    since !== null && t('chains.since', { date: formatDate(since) }),
    headHeight !== null && t('chains.head', { height: formatCount(headHeight) }),
    lagBlocks > 0 && t('chains.lag', { count: lagBlocks }),
    sources === 1 && t('chains.oneSource'),
    sources > 1 && sources < SOURCES_RECOMMENDED && t('chains.twoSources'),
    unwatchedAddresses > 0 && t('chains.unwatched', { count: unwatchedAddresses }),
    openDeposits > 0 && t('chains.openDeposits', { count: openDeposits }),
    heldDeposits > 0 && t('chains.heldDeposits', { count: heldDeposits }),
    ...warnings,
    ...differences,
  ].filter((fact) => fact !== false && fact !== null);
  return (
    <>
      <StatusBadge
        tone={isWatched && problem === null ? 'good' : 'bad'}
        text={t(!isWatched ? 'chains.notWatched' : problem === null ? 'chains.watched' : `chains.problems.${problem}`)}
      />
      {facts.length > 0 && <div>{facts.join(' · ')}</div>}
    </>
  );
}

/** The operator's accounts, and how many addresses their wallets must scan to show all payments. */
function Accounts({ accounts }: Pick<SystemState, 'accounts'>) {
  const { t } = useTranslation('staffSystem');
  if (accounts.length === 0) return null;
  return (
    <Section id="accounts" title={t('accounts.title')}>
      <Facts
        items={accounts.map(({ space, fingerprint, addressCount, paidCount, gap }) => ({
          label: `${nameOfSpace(space)} ${fingerprint}`,
          value: [
            t('accounts.addresses', { count: addressCount, paid: paidCount }),
            // Wallets of TON do not look for others of the same key.
            space === addressSpaces.ton ? t('accounts.byId') : t('accounts.scan', { count: gap + 1 }),
          ].join(' · '),
        }))}
      />
    </Section>
  );
}

function RateSources({ sources, peg }: { sources: SystemState['rateSources']; peg: SystemState['peg'] }) {
  const { t } = useTranslation('staffSystem');
  if (sources.length === 0) return null;
  return (
    <Section id="rate-sources" title={t('rateSources.title')}>
      <Facts
        items={[
          { label: 'USDT', value: <PegBadge peg={peg} /> },
          ...sources.map(({ source, failingSince, failure }) => ({
            label: source,
            value: (
              <>
                <StatusBadge
                  tone={failingSince === null ? 'good' : 'bad'}
                  text={t(failingSince === null ? 'rateSources.works' : 'rateSources.fails')}
                />{' '}
                {failure}
              </>
            ),
          })),
        ]}
      />
    </Section>
  );
}

function PegBadge({ peg: { isKept, rate } }: { peg: SystemState['peg'] }) {
  const { t } = useTranslation('staffSystem');
  if (isKept) return <StatusBadge tone="good" text={t('rateSources.peg.kept')} />;
  const text =
    rate === null ? t('rateSources.peg.unknown') : t('rateSources.peg.lost', { rate: `$${formatDecimal(rate)}` });
  return <StatusBadge tone="bad" text={text} />;
}

function Database({ database }: Pick<SystemState, 'database'>) {
  const { t } = useTranslation('staffSystem');
  const { version, bytes, connections, connectionsMax, pool } = database;
  return (
    <Section id="database" title={t('database.title')}>
      <Facts
        items={[
          { label: t('database.version'), value: version },
          {
            label: t('database.size'),
            value: formatTraffic(bytes / BYTES_PER_KIB),
          },
          {
            label: t('database.connections'),
            value: t('database.of', { count: connections, max: formatCount(connectionsMax) }),
          },
          { label: t('database.pool'), value: t('database.poolUse', { ...pool }) },
        ]}
      />
    </Section>
  );
}

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" id={id} mb="md">
        {title}
      </Title>
      {children}
    </section>
  );
}
