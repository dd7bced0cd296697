/** All screens, except pages that only show a message. Menu, router and early requests use this list. */
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

/** Screens with a title in the top bar. */
export const titledScreens = [...menuScreens, accountScreen] as const;

export const screens: readonly Screen[] = [
  signInScreen,
  signUpScreen,
  restoreAccessScreen,
  setPasswordScreen,
  ...titledScreens,
  ticketScreen,
];
