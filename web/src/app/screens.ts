/** All screens except those of staff. Routes, menu and titles are made from these lists. */
import { accountScreen } from '../features/account/screen.ts';
import { restoreAccessScreen, setPasswordScreen, signInScreen, signUpScreen } from '../features/auth/screen.ts';
import { connectionsScreen } from '../features/connections/screen.ts';
import { faqScreen } from '../features/faq/screen.ts';
import { invoicesScreen } from '../features/invoices/screen.ts';
import { legalScreen } from '../features/legal/screen.ts';
import { proxiesScreen } from '../features/proxies/screen.ts';
import { receiptCheckScreen } from '../features/receipt-check/screen.ts';
import { referralScreen } from '../features/referrals/screen.ts';
import { ticketScreen, ticketsScreen } from '../features/tickets/screen.ts';
import { transactionsScreen } from '../features/transactions/screen.ts';
import { usageScreen } from '../features/usage/screen.ts';
import { withCode } from '../loading/screen.ts';
import type { Search } from '../loading/search-values.ts';
import { publicMessageScreen } from './public-message-screen.ts';

/** For everybody. */
export const publicScreens = [
  withCode(publicMessageScreen, () => import('./public-message-page.tsx'), 'PublicMessagePage'),
  withCode(receiptCheckScreen, () => import('./screens/receipt-check-screen.tsx'), 'ReceiptCheckScreen'),
  withCode(legalScreen, () => import('./screens/legal-screen.tsx'), 'LegalScreen'),
] as const;

/** For visitors who have not signed in. */
export const visitorScreens = [
  withCode(signInScreen, () => import('./screens/sign-in-screen.tsx'), 'SignInScreen'),
  withCode(signUpScreen, () => import('./screens/sign-up-screen.tsx'), 'SignUpScreen'),
  withCode(restoreAccessScreen, () => import('../features/auth/restore-access-page.tsx'), 'RestoreAccessPage'),
  withCode(setPasswordScreen, () => import('./screens/set-password-screen.tsx'), 'SetPasswordScreen'),
] as const;

/** The first screen after sign-in requests its data before it renders, so that the rows appear with the shell. */
const startScreen = {
  ...proxiesScreen,
  prefetch: async (search: Search): Promise<void> =>
    (await import('./screens/proxies-screen.tsx')).prefetchCatalogue(search),
} as const;

/** For signed-in users, in the order of the menu. */
export const memberScreens = [
  withCode(startScreen, () => import('./screens/proxies-screen.tsx'), 'ProxiesScreen'),
  withCode(connectionsScreen, () => import('./screens/connections-screen.tsx'), 'ConnectionsScreen'),
  withCode(usageScreen, () => import('./screens/usage-screen.tsx'), 'UsageScreen'),
  withCode(invoicesScreen, () => import('./screens/invoices-screen.tsx'), 'InvoicesScreen'),
  withCode(transactionsScreen, () => import('./screens/transactions-screen.tsx'), 'TransactionsScreen'),
  withCode(faqScreen, () => import('../features/faq/faq-page.tsx'), 'FaqPage'),
  withCode(ticketsScreen, () => import('./screens/tickets-screen.tsx'), 'TicketsScreen'),
  withCode(ticketScreen, () => import('./screens/ticket-screen.tsx'), 'TicketScreen'),
  withCode(referralScreen, () => import('./screens/referral-screen.tsx'), 'ReferralScreen'),
  withCode(accountScreen, () => import('./screens/account-screen.tsx'), 'AccountScreen'),
] as const;

export const menuScreens = memberScreens.filter((screen) => 'Icon' in screen);
/** Screens with a title in the top bar. */
export const titledScreens = memberScreens.filter((screen) => 'title' in screen);
