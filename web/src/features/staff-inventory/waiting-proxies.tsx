import type { WaitingProxy } from '@cellhop/contract/staff/waiting-proxies';
import { Button, Group, Paper, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { countryName, formatMoney, language } from '../../format/format.ts';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRemoveWaiting, useWaiting } from './api.ts';
import { useReason } from '../staff-parts/exit-reason.ts';
import classes from './import-form.module.css';

/** Imported lines whose address no check has seen yet. They are in no other list. */
export function WaitingProxies() {
  const { t } = useTranslation('staffInventory');
  const { rows = [], totalPages } = useWaiting();
  if (rows.length === 0) return null;
  return (
    <Paper component="section" aria-label={t('waiting.title')} withBorder p="sm" mb="md">
      <Text fw={600}>{t('waiting.title')}</Text>
      <Text size="sm">{t('waiting.text')}</Text>
      <ul className={classes['list']}>
        {rows.map((row) => (
          <Waiting key={row.exitId} row={row} />
        ))}
      </ul>
      {totalPages > 1 && (
        <Text size="sm" mt="xs">
          {t('waiting.more')}
        </Text>
      )}
    </Paper>
  );
}

function Waiting({ row }: { row: WaitingProxy }) {
  const { t } = useTranslation('staffInventory');
  const removing = useRemoveWaiting();
  const canEdit = usePermission('PROXIES_EDIT');
  const { exit, node, countryCode, isp, connectionType, price } = row;
  return (
    <Group component="li" justify="space-between" gap="xs">
      <div>
        <span className={classes['place']}>
          {t('import.through', { exit: exit === '' ? t('ownRoute') : exit, node })}
        </span>
        <br />
        {countryName(countryCode, language())}, {isp}, {connectionType}, {formatMoney(price)}
        <br />
        <WaitingReason row={row} />
      </div>
      {canEdit && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('waiting.removeOf', { exit, node })}
          loading={removing.isRunning}
          onClick={() => void removing.run(row)}
        >
          {t('waiting.remove')}
        </Button>
      )}
    </Group>
  );
}

function WaitingReason({ row: { checkedAt, reason: code, seenAddress, isTaken } }: { row: WaitingProxy }) {
  const { t } = useTranslation('staffInventory');
  const reason = useReason(code);
  if (reason !== undefined) return reason;
  if (isTaken && seenAddress !== null) return t('waiting.taken', { ip: seenAddress });
  return checkedAt === null ? t('check.never') : t('waiting.notPublic');
}
