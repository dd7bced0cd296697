import type { ConnectionCheck } from '@cellhop/contract/connection-checks';
import type { Connection } from '@cellhop/contract/connections';
import { operatorText } from '@cellhop/contract/places.values';
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { countryName, prepaidPrice } from '../../format/format.ts';
import { formatPrice, formatTotal } from '../../format/money.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useReplace } from './api.ts';
import { expectedRefund } from './refund.ts';

interface ReplaceOfferProps {
  connection: Connection;
  /** Undefined before the first test. */
  check: ConnectionCheck | undefined;
}

/** After a test that has found something else than what was sold: another proxy in its place. */
export function ReplaceOffer({ connection, check }: ReplaceOfferProps) {
  const { t } = useTranslation('proxyConnection');
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const replacing = useReplace();
  const text = useReplaceText(connection);
  const { id, ip } = connection;
  if (check?.isReplaceable !== true) return null;

  async function replace() {
    const replacement = await replacing.run(id);
    setOpen(false);
    if (replacement?.isReplaced === true)
      await navigate({ to: '/connection-history', search: { connection: replacement.connection.id } });
  }

  return (
    <div>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('replace.actionOf', { ip })}
        onClick={() => setOpen(true)}
      >
        {t('replace.action')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={t('replace.title', { ip })}
        text={text}
        action={t('replace.action')}
        isDangerous
        isWorking={replacing.isRunning}
        onConfirm={replace}
        onClose={() => setOpen(false)}
      />
    </div>
  );
}

/** What happens to the connection, what comes back, whatever its age, and what the next one costs. */
function useReplaceText(connection: Connection): string {
  const { t, i18n } = useTranslation('proxyConnection');
  const refund = expectedRefund(connection, 0, Infinity);
  const back =
    refund.kind === 'UNUSED'
      ? t('ending.refund.UNUSED', { amount: formatTotal(refund.dollars), megabytes: refund.megabytes })
      : t('ending.refund.USED_UP');
  const next = t('replace.next', {
    country: countryName(connection.countryCode, i18n.resolvedLanguage ?? 'en'),
    operator: operatorText(connection),
    price: formatPrice(prepaidPrice(connection.price)),
  });
  return `${t('ending.text')} ${back} ${next}`;
}
