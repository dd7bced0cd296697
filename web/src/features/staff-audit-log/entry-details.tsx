import type { AuditEntry } from '@cellhop/contract/staff/audit-log';
import { useTranslation } from 'react-i18next';
import { describeChanges, describeValues } from './describe-values.ts';
import classes from './entries-table.module.css';

/** The recorded details: changed values, numbers, ids, address and device. Collapsed, because they are rarely needed. */
export function EntryDetails({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('staffSystem');
  const { before, after, details, ip, device, requestId } = entry;
  const items = [
    ...describeChanges(before, after).map(({ name, ...texts }) => ({ name, text: t('log.change', texts) })),
    ...describeValues(details),
    ...(ip === null && device === null ? [] : [{ name: t('log.from'), text: [ip, device].filter(Boolean).join(', ') }]),
    ...(requestId === null ? [] : [{ name: t('log.request'), text: requestId }]),
  ];
  if (items.length === 0) return null;
  return (
    <details className={classes['details']}>
      <summary>{t('log.details')}</summary>
      <dl>
        {items.map(({ name, text }, index) => (
          // A recorded name may be the same as one of ours.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
