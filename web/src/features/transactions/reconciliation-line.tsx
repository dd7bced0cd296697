import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { useReconciliation } from './api.ts';
import classes from './reconciliation-line.module.css';

const tones: Record<'OK' | 'BROKEN' | 'NEVER_RUN', Tone> = { OK: 'good', BROKEN: 'bad', NEVER_RUN: 'neutral' };

/** For staff: the state of the reconciliation of all money, not only of the rows above it. */
export function ReconciliationLine() {
  const { t } = useTranslation('transaction');
  const reconciliation = useReconciliation();
  if (reconciliation === undefined) return null;
  const { status, checkedAt, violationCount, violations } = reconciliation;
  return (
    <footer className={classes['line']}>
      <StatusBadge tone={tones[status]} text={t(`reconciliation.${status}`, { count: violationCount })} />
      {checkedAt !== null && <span>{t('reconciliation.checkedAt', { date: formatDate(checkedAt) })}</span>}
      {violations.length > 0 && (
        <ul className={classes['violations']}>
          {violations.map((violation) => (
            <li key={violation}>{violation}</li>
          ))}
        </ul>
      )}
    </footer>
  );
}
