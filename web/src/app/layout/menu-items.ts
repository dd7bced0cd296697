import {
  IconArrowsExchange,
  IconChartBar,
  IconGift,
  IconHistory,
  IconHelpCircle,
  IconMessages,
  IconReceipt2,
  IconWorldSearch,
} from '@tabler/icons-react';

export const menuItems = [
  { to: '/proxies', text: 'proxies', Icon: IconWorldSearch },
  { to: '/connection-history', text: 'connections', Icon: IconHistory },
  { to: '/usage', text: 'usage', Icon: IconChartBar },
  { to: '/payments/invoices', text: 'payments', Icon: IconReceipt2 },
  { to: '/transactions', text: 'transactions', Icon: IconArrowsExchange },
  { to: '/faq', text: 'faq', Icon: IconHelpCircle },
  { to: '/support/tickets', text: 'support', Icon: IconMessages },
  { to: '/referral-system', text: 'referral', Icon: IconGift },
] as const;

/** Reached from elsewhere than the menu. */
export const otherPages = [{ to: '/account', text: 'account' }] as const;
