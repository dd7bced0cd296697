import type { Invoice } from '@cellhop/contract/invoices';
import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { currencyTicker, feeCoin } from '@cellhop/contract/coins';
import { Copyable } from '../../ui/copyable.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import classes from './pay-details.module.css';

const QR_PIXELS = 192;
/** Length of each end of an address, which users compare before they send. */
const END_LENGTH = 6;

/** What payers of a currency get wrong most often. */
const notes = {
  ETH: 'pay.notes.ETH',
  TRX: 'pay.notes.TRX',
  TON: 'pay.notes.TON',
  USDT_TRC20: 'pay.notes.USDT_TRC20',
  USDT_ERC20: 'pay.notes.USDT_ERC20',
  USDT_BSC: 'pay.notes.USDT_BSC',
  USDT_TON: 'pay.notes.USDT_TON',
} as const;

interface PayDetailsProps {
  invoice: Invoice;
  /** The full amount, or what is still missing. */
  amount: string;
}

/** Amount, address and network of a payment. */
export function PayDetails({ invoice, amount }: PayDetailsProps) {
  const { t } = useTranslation('payment');
  const { address, paymentUri, walletUri, currency, status } = invoice;
  const amountName = t(status === 'PENDING' ? 'pay.exact' : 'pay.missing', { ticker: currencyTicker(currency) });
  return (
    <div className={classes['details']}>
      <div className={classes['code']}>
        <QrCode value={paymentUri} pixels={QR_PIXELS} title={t('pay.qr')} />
      </div>
      <dl className={classes['values']}>
        <div>
          <dt>{t('pay.network')}</dt>
          <dd className={classes['network']}>{t(`networks.${currency}`)}</dd>
        </div>
        <div>
          <dt>{amountName}</dt>
          <dd>
            <Copyable name={amountName} value={amount} />
          </dd>
        </div>
        <div>
          <dt>{t('pay.address')}</dt>
          <dd>
            <Copyable name={t('pay.address')} value={address} isWrapped>
              <strong>{address.slice(0, END_LENGTH)}</strong>
              {address.slice(END_LENGTH, -END_LENGTH)}
              <strong>{address.slice(-END_LENGTH)}</strong>
            </Copyable>
          </dd>
        </div>
      </dl>
      {walletUri !== null && (
        <>
          <Button
            component="a"
            href={walletUri}
            variant="default"
            className={classes['wallet']}
            leftSection={<IconExternalLink size={18} aria-hidden="true" />}
          >
            {t('pay.openWallet')}
          </Button>
          <p className={classes['note']}>{t('pay.checkWallet')}</p>
        </>
      )}
      <p className={classes['note']}>
        {t('pay.onlyNetwork')} {isNoted(currency) && `${t(notes[currency])} `}
        {t('pay.anyAmount')} {t('pay.networkFee', { coin: feeCoin(currency) })} {t('pay.fromExchange')}
      </p>
    </div>
  );
}

function isNoted(currency: Invoice['currency']): currency is keyof typeof notes {
  return currency in notes;
}
