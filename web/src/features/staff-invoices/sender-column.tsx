import { useTranslation } from 'react-i18next';
import { Copyable } from '../../ui/copyable.tsx';
import type { Column } from '../../ui/data-table.tsx';

/** The wallet that sent a payment, on chains that say so. */
export function useSenderColumn<Row extends { sender?: string | null | undefined }>(): Column<Row> {
  const { t } = useTranslation('staffMoney');
  return {
    key: 'sender',
    header: t('deposit.sender'),
    render: ({ sender }) =>
      typeof sender === 'string' ? <Copyable name={t('deposit.sender')} value={sender} isWrapped /> : '—',
  };
}
