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
import { type Screen, withCode } from '../loading/screen.ts';
import { type Search, textParameter } from '../loading/search-values.ts';

/** Links in mails lead to it. `signIn`: in the browser that signed up, what to sign in with after the confirmation. */
export const publicMessageScreen = {
  path: '/public-message',
  texts: [],
  search: ({ message, signIn }: Search): { message?: string | undefined; signIn?: string | undefined } => ({
    message: textParameter(message),
    signIn: textParameter(signIn),
  }),
} as const satisfies Screen;

/** For everybody. */
export const publicScreens = [
  withCode(publicMessageScreen, () => import('./public-message-page.tsx'), 'PublicMessagePage'),
  withCode(receiptCheckScreen, () => import('../features/receipt-check/receipt-check-page.tsx'), 'ReceiptCheckPage'),
  withCode(legalScreen, () => import('../features/legal/legal-page.tsx'), 'LegalPage'),
] as const;

/** For unauthenticated visitors. */
export const visitorScreens = [
  withCode(signInScreen, () => import('../features/auth/sign-in-page.tsx'), 'SignInPage'),
  withCode(signUpScreen, () => import('../features/auth/sign-up-page.tsx'), 'SignUpPage'),
  withCode(restoreAccessScreen, () => import('../features/auth/restore-access-page.tsx'), 'RestoreAccessPage'),
  withCode(setPasswordScreen, () => import('../features/auth/set-password-page.tsx'), 'SetPasswordPage'),
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
  withCode(connectionsScreen, () => import('../features/connections/connections-page.tsx'), 'ConnectionsPage'),
  withCode(usageScreen, () => import('../features/usage/usage-page.tsx'), 'UsagePage'),
  withCode(invoicesScreen, () => import('../features/invoices/invoices-page.tsx'), 'InvoicesPage'),
  withCode(transactionsScreen, () => import('../features/transactions/transactions-page.tsx'), 'TransactionsPage'),
  withCode(faqScreen, () => import('../features/faq/faq-page.tsx'), 'FaqPage'),
  withCode(ticketsScreen, () => import('../features/tickets/tickets-page.tsx'), 'TicketsPage'),
  withCode(ticketScreen, () => import('../features/tickets/ticket-page.tsx'), 'TicketPage'),
  withCode(referralScreen, () => import('../features/referrals/referral-page.tsx'), 'ReferralPage'),
  withCode(accountScreen, () => import('../features/account/account-page.tsx'), 'AccountPage'),
] as const;

export const menuScreens = memberScreens.filter((screen) => 'Icon' in screen);
/** Screens with a title in the top bar. */
export const titledScreens = memberScreens.filter((screen) => 'title' in screen);
