/** Every screen of the app but those that show a message alone. Menu, router and the first requests go by it. */
import { accountScreen } from '../features/account/screen.ts';
import { restoreAccessScreen, setPasswordScreen, signInScreen, signUpScreen } from '../features/auth/screen.ts';
import { connectionsScreen } from '../features/connections/screen.ts';
import { faqScreen } from '../features/faq/screen.ts';
import { invoicesScreen } from '../features/invoices/screen.ts';
import { proxiesScreen } from '../features/proxies/screen.ts';
import { referralScreen } from '../features/referrals/screen.ts';
import { ticketScreen, ticketsScreen } from '../features/support/screen.ts';
import { transactionsScreen } from '../features/transactions/screen.ts';
import { usageScreen } from '../features/usage/screen.ts';
import type { Screen } from '../lib/screen.ts';

/** In the order of the menu. */
export const menuScreens = [
  proxiesScreen,
  connectionsScreen,
  usageScreen,
  invoicesScreen,
  transactionsScreen,
  faqScreen,
  ticketsScreen,
  referralScreen,
] as const;

/** Those that the frame names. */
export const titledScreens = [...menuScreens, accountScreen] as const;

export const screens: readonly Screen[] = [
  signInScreen,
  signUpScreen,
  restoreAccessScreen,
  setPasswordScreen,
  ...titledScreens,
  ticketScreen,
];
