import type { Attention } from '@cellhop/contract/staff/dashboard';
import { ATTENTION_COUNTED_MAX } from '@cellhop/contract/limits';
import {
  IconAlertTriangle,
  IconChecklist,
  IconCoins,
  IconDatabaseExclamation,
  IconCertificate,
  IconGauge,
  IconHeartbeat,
  IconMailExclamation,
  IconMapPinExclamation,
  IconMessage2Exclamation,
  IconPlugOff,
  IconRefreshAlert,
  IconScale,
  IconServerBolt,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate, formatLimitedCount } from '../../format/format.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import { durationText } from '../staff-parts/duration.ts';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useAttention } from './api.ts';
import classes from './attention-row.module.css';
import { AnyLink, attentionTargets, type Target } from './links.tsx';

interface Item {
  key: string;
  Icon: typeof IconAlertTriangle;
  text: string;
  detail?: string;
  /** Undefined: the role may not open the screen. */
  target: Target | undefined;
  /** Customers or money are affected now. */
  isUrgent?: boolean;
}

/** What needs attention, each a link to the screen where staff handle it. Not rendered if there is nothing. */
export function AttentionRow() {
  const { t } = useTranslation('staffDashboard');
  const attention = useAttention();
  const items = useItems(attention);
  if (items.length === 0) return null;
  return (
    <section className={classes['row']} aria-label={t('attention.title')}>
      <h2>{t('attention.title')}</h2>
      <ul>
        {items.map(({ key, target, ...item }) => (
          <li key={key} data-urgent={item.isUrgent === true}>
            {target === undefined ? (
              <div className={classes['item']}>
                <ItemText {...item} />
              </div>
            ) : (
              <AnyLink {...target} className={classes['item']}>
                <ItemText {...item} />
              </AnyLink>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function ItemText({ Icon, text, detail }: Pick<Item, 'Icon' | 'text' | 'detail'>) {
  return (
    <>
      <Icon size={20} stroke={1.6} aria-hidden="true" />
      <span>
        <strong>{text}</strong>
        {detail !== undefined && <small>{detail}</small>}
      </span>
    </>
  );
}

function useItems(attention: Attention | undefined): Item[] {
  const money = useMoneyItems(attention);
  const system = useSystemItems(attention);
  const machine = useMachineItems(attention);
  const support = useSupportItems(attention);
  const proxies = useProxyItems(attention);
  return [...money, ...support, ...machine, ...system, ...proxies];
}

function counted(count: number) {
  return { count, number: formatLimitedCount(count, ATTENTION_COUNTED_MAX) };
}

function useMoneyItems(attention: Attention | undefined): Item[] {
  const { t } = useTranslation(['staffDashboard', 'staff']);
  const canOpenSystem = usePermission('SYSTEM_READ');
  const items: Item[] = [];
  if (attention === undefined) return items;
  const { moneyCheck, approvals, heldPayments, restore } = attention;
  if (restore?.isOpen === true)
    items.push({
      key: 'restore',
      Icon: IconDatabaseExclamation,
      text: t('attention.restore'),
      target: undefined,
      isUrgent: true,
    });
  else if (restore?.movedAt)
    items.push({
      key: 'restore',
      Icon: IconDatabaseExclamation,
      text: t('attention.moved', { date: formatDate(restore.movedAt) }),
      target: undefined,
    });
  if (moneyCheck?.isBroken === true)
    items.push({
      key: 'moneyCheck',
      Icon: IconScale,
      text: t('attention.moneyCheck', { count: moneyCheck.violationCount }),
      target: canOpenSystem ? attentionTargets.system : undefined,
      isUrgent: true,
    });
  if (approvals.list !== null)
    items.push({
      key: 'approvals',
      Icon: IconChecklist,
      text: t('staff:menu.waiting.approvals', counted(approvals.waiting)),
      target: attentionTargets.approvals(approvals.list),
    });
  if (heldPayments !== null && heldPayments > 0)
    items.push({
      key: 'heldPayments',
      Icon: IconCoins,
      text: t('staff:menu.waiting.invoices', counted(heldPayments)),
      target: attentionTargets.heldPayments,
    });
  return items;
}

/** The oldest waiting ticket. */
function useSupportItems(attention: Attention | undefined): Item[] {
  const { t } = useTranslation(['staffDashboard', 'staff']);
  const { t: staffText } = useTranslation('staff');
  const now = useTenSeconds();
  const { waiting = 0, oldest } = attention?.tickets ?? {};
  if (oldest === undefined || oldest === null) return [];
  const seconds = Math.max(0, (now - Date.parse(oldest.waitingSince)) / 1000);
  return [
    {
      key: 'tickets',
      Icon: IconMessage2Exclamation,
      text: t('staff:menu.waiting.tickets', counted(waiting)),
      detail: t('attention.oldest', { duration: durationText(seconds, staffText), name: oldest.name }),
      target: attentionTargets.ticket(oldest.id),
    },
  ];
}

function useMachineItems(attention: Attention | undefined): Item[] {
  const { t } = useTranslation('staffDashboard');
  const { fullDisk, lateBackup } = attention?.machine ?? {};
  const texts = [
    ...(attention?.unreadableFiles ?? []).map((text) => ({ key: text, text: t('attention.file', { text }) })),
    ...(fullDisk ? [{ key: 'disk', text: t('attention.disk', { percent: fullDisk.usedPercent }) }] : []),
    ...(lateBackup?.newestAt
      ? [{ key: 'backup', text: t('attention.backup', { date: formatDate(lateBackup.newestAt) }) }]
      : []),
    ...(lateBackup?.newestAt === null ? [{ key: 'backup', text: t('attention.noBackup') }] : []),
  ];
  return texts.map((each) => ({ ...each, Icon: IconServerBolt, target: attentionTargets.system, isUrgent: true }));
}

function useSystemItems(attention: Attention | undefined): Item[] {
  const { t } = useTranslation(['staffDashboard', 'staff']);
  const { t: staffText } = useTranslation('staff');
  const now = useTenSeconds();
  if (attention === undefined) return [];
  const { silentNodes, troubledChains, failedJobs, mails } = attention;
  const lateSince = mails?.lateSince;
  const mailItems: Item[] = lateSince
    ? [
        {
          key: 'mails',
          Icon: IconMailExclamation,
          text: t('attention.mails', { duration: durationText((now - Date.parse(lateSince)) / 1000, staffText) }),
          target: attentionTargets.system,
          isUrgent: true,
        },
      ]
    : [];
  const all = [
    { key: 'nodes', Icon: IconPlugOff, count: silentNodes, target: attentionTargets.nodes, isUrgent: true },
    {
      key: 'chains',
      Icon: IconAlertTriangle,
      count: troubledChains?.length ?? null,
      target: attentionTargets.system,
      isUrgent: true,
    },
    { key: 'jobs', Icon: IconRefreshAlert, count: failedJobs, target: attentionTargets.failedJobs, isUrgent: true },
  ] as const;
  const counts = all.flatMap(({ count, ...item }): Item[] => {
    if (count === null || count === 0) return [];
    const text =
      item.key === 'jobs'
        ? t('staff:menu.waiting.system', counted(count))
        : t(`attention.${item.key}`, { count, number: formatCount(count) });
    return [{ ...item, text }];
  });
  return [...mailItems, ...counts];
}

function useProxyItems({
  failingNodes,
  endingCertificates,
  spentBudgets,
  unhealthyProxies,
  proxiesElsewhere,
}: Partial<Attention> = {}): Item[] {
  const { t } = useTranslation('staffDashboard');
  const failing = (failingNodes ?? []).map((name) => ({
    key: `failing ${name}`,
    Icon: IconHeartbeat,
    text: t('attention.failing', { name }),
    target: attentionTargets.nodes,
    isUrgent: true,
  }));
  const ending = (endingCertificates ?? []).map((name) => ({
    key: `certificate ${name}`,
    Icon: IconCertificate,
    text: t('attention.certificate', { name }),
    target: attentionTargets.nodes,
    isUrgent: true,
  }));
  const counts = [
    { key: 'budgets', Icon: IconGauge, count: spentBudgets ?? 0, target: attentionTargets.nodes },
    { key: 'exits', Icon: IconHeartbeat, count: unhealthyProxies ?? 0, target: attentionTargets.unhealthyProxies },
    {
      key: 'elsewhere',
      Icon: IconMapPinExclamation,
      count: proxiesElsewhere ?? 0,
      target: attentionTargets.proxiesElsewhere,
    },
  ] as const;
  return [
    ...failing,
    ...ending,
    ...counts
      .filter(({ count }) => count > 0)
      .map(({ count, ...item }) => ({
        ...item,
        text: t(`attention.${item.key}`, { count, number: formatCount(count) }),
      })),
  ];
}
