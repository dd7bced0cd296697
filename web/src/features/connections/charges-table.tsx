import type { Charge } from '@cellhop/contract/receipts';
import { useTranslation } from 'react-i18next';
import { formatMegabytes, formatMoment, formatMoney } from '../../format/format.ts';
import { maxDecimals } from '../../format/money.ts';
import { ColumnMoney } from '../../ui/columns.tsx';
import classes from './charges-table.module.css';

const BYTES_PER_KIB = 1024;

/** A page of a connection's charges, newest first. */
export function ChargesTable({ charges }: { charges: readonly Charge[] }) {
  const { t } = useTranslation(['receipt', 'proxyConnection', 'common']);
  const decimals = maxDecimals(
    charges.map(({ amount }) => amount),
    formatMoney,
  );
  return (
    // A scrollable region must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes['scroll']} tabIndex={0} aria-label={t('charges')}>
      <table className={classes['charges']}>
        <thead>
          <tr>
            <th>{t('date')}</th>
            <th>{t('what')}</th>
            <th className={classes['traffic']}>{t('traffic')}</th>
            <th data-numeric>{t('amount')}</th>
          </tr>
        </thead>
        <tbody>
          {charges.map((charge) => (
            <tr key={charge.number}>
              <td>{formatMoment(charge.chargedAt)}</td>
              <td>{t(`kinds.${charge.kind}`, { range: megabyteRange(charge) })}</td>
              <td className={classes['traffic']}>{t('common:megabytes', { value: chargeMegabytes(charge) })}</td>
              <td data-numeric>
                <ColumnMoney dollars={charge.amount} format={formatMoney} decimals={decimals} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function megabyteRange({ firstMegabyte, lastMegabyte }: Charge): string {
  return firstMegabyte === lastMegabyte ? String(firstMegabyte) : `${firstMegabyte}–${lastMegabyte}`;
}

function chargeMegabytes({ uploadedBytes, downloadedBytes }: Charge): string {
  return formatMegabytes((uploadedBytes + downloadedBytes) / BYTES_PER_KIB);
}
