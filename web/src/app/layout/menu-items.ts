import { IconGift, IconHistory, IconReceipt2, IconWorldSearch } from '@tabler/icons-react';

export const menuItems = [
  { to: '/proxies', text: 'proxies', Icon: IconWorldSearch },
  { to: '/connection-history', text: 'connections', Icon: IconHistory },
  { to: '/payments/invoices', text: 'payments', Icon: IconReceipt2 },
  { to: '/referral-system', text: 'referral', Icon: IconGift },
] as const;
