import { shortCurrency } from '@cellhop/contract/coins';
import type { Currency } from '@cellhop/contract/invoices.values';
import { useTranslation } from 'react-i18next';
import hidden from '../../ui/visually-hidden.module.css';
import { CoinIcon } from './coin-icon.tsx';
import classes from './currency-name.module.css';

/** Coin and network on one line; screen readers and a pointer get the whole name. */
export function CurrencyName({ currency }: { currency: Currency }) {
  const { t } = useTranslation('payment');
  const name = t(`networks.${currency}`);
  return (
    <span className={classes['name']} title={name}>
      <CoinIcon currency={currency} />
      <span aria-hidden="true">{shortCurrency(currency)}</span>
      <span className={hidden['visuallyHidden']}>{name}</span>
    </span>
  );
}
