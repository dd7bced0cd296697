import type { Currency } from '@cellhop/contract/invoices.values';
import { currencyTicker } from '@cellhop/contract/coins';

/** Drawn here, not by the makers of the coins: colour and letter are what people recognise at this size. */
const coins: Record<string, { color: string; path: string }> = {
  BTC: {
    color: '#b85c00',
    path: 'M9 6h4.2c2.1 0 3.5 1 3.5 2.9 0 1.3-.7 2.1-1.7 2.5 1.4.4 2.3 1.4 2.3 2.9 0 2.1-1.6 3.7-4.1 3.7H9zm2.2 1.9v2.8h1.6c1 0 1.6-.5 1.6-1.4s-.6-1.4-1.6-1.4zm0 4.6v3.6h1.9c1.2 0 1.9-.7 1.9-1.8s-.7-1.8-1.9-1.8zM10.6 4H12v2h-1.4zm2.6 0h1.4v2h-1.4zm-2.6 14H12v2h-1.4zm2.6 0h1.4v2h-1.4z',
  },
  ETH: { color: '#4f63c9', path: 'M12 3.5 17.2 12 12 15 6.8 12zm0 17-5.2-7.2L12 16.3l5.2-3z' },
  LTC: {
    color: '#3d5f9e',
    path: 'M10.6 5h3L12 11.2l2.3-.9-.5 2-2.3.9-.8 2.9h6.2l-.6 2.4H7.1l1.2-4.4-1.6.6.5-2 1.6-.6z',
  },
  TRX: {
    color: '#c8102e',
    path: 'M5.5 5.5 15.6 7l3.4 3.2L11 19.5zm2.4 1.9 3.1 8 1-6.2zm5.6 2-.9 5.6 4.1-4.8zm-4.2-1.9 3.2 1.8 2.2-1z',
  },
  TON: {
    color: '#0077b5',
    path: 'M6.2 6.5h11.6c1 0 1.6 1 1.1 1.9L12 19.5 5.1 8.4c-.5-.9.1-1.9 1.1-1.9zm.9 2 3.9 6.3V8.5zm9.8 0H13v6.3z',
  },
  USDT: {
    color: '#1a7f64',
    path: 'M6 6h12v2.8h-4.5v2c2.9.2 5 .8 5 1.6s-2.1 1.4-5 1.6v4.5h-3V14c-2.9-.2-5-.8-5-1.6s2.1-1.4 5-1.6v-2H6zm4.5 5.7c-1.9.1-3.3.4-3.3.7s1.9.7 4.8.7 4.8-.3 4.8-.7-1.4-.6-3.3-.7v1h-3z',
  },
};

/** The coin of a currency; for tokens also the colour of their network. Decorative: the name is always beside it. */
export function CoinIcon({ currency }: { currency: Currency }) {
  const coin = coins[currencyTicker(currency)];
  const network = networks[currency];
  return (
    <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="12" fill={coin?.color} />
      <path d={coin?.path} fill="#fff" fillRule="evenodd" />
      {network !== undefined && (
        <circle cx="19.5" cy="19.5" r="4" fill={network} stroke="var(--surface)" strokeWidth="1.5" />
      )}
    </svg>
  );
}

const networks: Partial<Record<Currency, string>> = {
  USDT_TRC20: '#c8102e',
  USDT_ERC20: '#4f63c9',
  USDT_BSC: '#d9a300',
  USDT_TON: '#0077b5',
};
