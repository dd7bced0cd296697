import type { ExitCheck } from '@cellhop/contract/staff/exit-checks';
import { exitCheckReasons } from '@cellhop/contract/staff/inventory.values';
import { useTranslation } from 'react-i18next';
import { formatAge } from '../../format/format.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import classes from './inventory-table.module.css';

/** When the exit was checked, with what result, and from which address its traffic comes. */
export function ExitCheckText({ check }: { check: ExitCheck }) {
  const { t } = useTranslation('staffInventory');
  const now = useTenSeconds();
  const reason = useReason(check.reason);
  const { checkedAt, latencyMs, health, seenAddress: address, isAddressDifferent } = check;
  if (checkedAt === null) return reason ?? t('check.never');
  const ago = formatAge(checkedAt, now);
  return (
    <span className={classes['check']}>
      <span>
        {reason === undefined ? t('check.ok', { ago, latency: latencyMs ?? 0 }) : t('check.failed', { ago, reason })}
      </span>
      {address !== null && (
        <span data-different={isAddressDifferent}>
          {t(isAddressDifferent ? 'check.different' : 'check.seen', { address })}
        </span>
      )}
      {address === null && health === 'HEALTHY' && <span>{t('check.notCompared')}</span>}
    </span>
  );
}

/** @returns undefined after a success */
function useReason(text: string | null): string | undefined {
  const { t } = useTranslation('staffInventory');
  if (text === null) return undefined;
  const [name, code] = text.split(':');
  const known = exitCheckReasons.find((each) => each === name);
  const reason = known === undefined ? text : t(`check.reasons.${known}`);
  return known === undefined || code === undefined ? reason : t('check.reasonWithCode', { reason, code });
}
