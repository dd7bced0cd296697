import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
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
import type staff from '../i18n/locales/en/staff.json';
import { loadTexts } from '../i18n/setup.ts';
import type { Screen } from '../lib/screen.ts';
import { textOf } from '../lib/search-values.ts';
import { loadSettings } from '../lib/settings.ts';
import { hasTokens } from '../lib/tokens.ts';
import { GlobalErrorPage } from './global-error-page.tsx';
import { keptOffline } from './kept-offline.ts';
import { ScreenFailure } from './layout/screen-failure.tsx';
import { returnSearch, nextSearch } from './next-page.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { RootLayout } from './root-layout.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Of the screens of staff: the title in the top bar, and whether it is the one of the screen above. */
    staffScreen?: { title: StaffTitle; isSubscreen: boolean };
  }
}

type StaffTitle = keyof (typeof staff)['titles'];

export const root = createRootRoute({
  component: RootLayout,
  loader: () => loadSettings(),
  notFoundComponent: NotFoundPage,
  // Replaces the whole page. Screens for signed-in users have their own error component.
  errorComponent: GlobalErrorPage,
});

/** The landing page is a separate document (landing.html), so this leaves the app. */
const landing = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ href: '/', reloadDocument: true });
  },
});

const publicMessage = createRoute({
  getParentRoute: () => root,
  path: '/public-message',
  validateSearch: ({ message }: Record<string, unknown>): { message?: string | undefined } => ({
    message: textOf(message),
  }),
  component: lazyRouteComponent(() => import('./public-message-page.tsx'), 'PublicMessagePage'),
});

/** For everybody who has a receipt: its customer, or their accountant. */
const receiptCheck = createRoute({
  getParentRoute: () => root,
  path: '/check-receipt',
  loader: loadTexts('receiptCheck'),
  component: lazyRouteComponent(() => import('./screens/receipt-check-screen.tsx'), 'ReceiptCheckScreen'),
});

/** The operator's texts, linked on the landing page. */
const legal = createRoute({
  getParentRoute: () => root,
  path: '/legal/$document',
  loader: loadTexts('legal'),
  component: lazyRouteComponent(() => import('./screens/legal-screen.tsx'), 'LegalScreen'),
});

/** For visitors. Signed-in users are redirected to the proxies, or to the page that sign-in interrupted. */
const guests = createRoute({
  getParentRoute: () => root,
  id: 'guests',
  validateSearch: nextSearch,
  beforeLoad: ({ search }) => {
    if (hasTokens()) throw redirect({ href: search.next ?? '/proxies', replace: true });
  },
  loader: loadTexts('auth'),
  component: lazyRouteComponent(() => import('./layout/guest-layout.tsx'), 'GuestLayout'),
});

/** Shared options of visitors' screens. The layout loads their texts. */
function guestScreen<const S extends Screen>({ path }: S) {
  return { getParentRoute: () => guests, path: path as S['path'] };
}

const signIn = createRoute({
  ...guestScreen(signInScreen),
  component: lazyRouteComponent(() => import('./screens/sign-in-screen.tsx'), 'SignInScreen'),
});

const signUp = createRoute({
  ...guestScreen(signUpScreen),
  validateSearch: signUpScreen.search,
  component: lazyRouteComponent(() => import('./screens/sign-up-screen.tsx'), 'SignUpScreen'),
});

const restoreAccess = createRoute({
  ...guestScreen(restoreAccessScreen),
  component: lazyRouteComponent(() => import('../features/auth/restore-access-page.tsx'), 'RestoreAccessPage'),
});

const setPassword = createRoute({
  ...guestScreen(setPasswordScreen),
  validateSearch: setPasswordScreen.search,
  beforeLoad: ({ search }) => {
    if (search.code === undefined) throw redirect({ to: '/sign-in', replace: true });
  },
  component: lazyRouteComponent(() => import('./screens/set-password-screen.tsx'), 'SetPasswordScreen'),
});

/** For signed-in users; the layout redirects when they are signed out. */
export const members = createRoute({
  getParentRoute: () => root,
  id: 'members',
  beforeLoad: ({ location }) => {
    if (!hasTokens()) throw redirect({ to: '/sign-in', search: returnSearch(location.href), replace: true });
  },
  loader: loadTexts('notification'),
  component: lazyRouteComponent(() => import('./layout/member-layout.tsx'), 'MemberLayout'),
});

/** Shared options of screens for signed-in users. */
function memberScreen<const S extends Screen>({ path, texts }: S) {
  return {
    getParentRoute: () => members,
    path: path as S['path'],
    errorComponent: ScreenFailure,
    loader: loadTexts(...texts),
  };
}

const loadProxies = () => import('./screens/proxies-screen.tsx');
const proxies = createRoute({
  ...memberScreen(proxiesScreen),
  validateSearch: proxiesScreen.search,
  loader: ({ location }) => {
    // Prefetched, so that the rows render with the shell. The screen shows a failure.
    loadProxies().then(
      ({ prefetchCatalogue }) => prefetchCatalogue(location.search),
      () => undefined,
    );
    return loadTexts(...proxiesScreen.texts)();
  },
  component: lazyRouteComponent(keptOffline(loadProxies), 'ProxiesScreen'),
});

const connectionHistory = createRoute({
  ...memberScreen(connectionsScreen),
  validateSearch: connectionsScreen.search,
  component: lazyRouteComponent(
    keptOffline(() => import('./screens/connections-screen.tsx')),
    'ConnectionsScreen',
  ),
});

const usage = createRoute({
  ...memberScreen(usageScreen),
  validateSearch: usageScreen.search,
  component: lazyRouteComponent(
    keptOffline(() => import('./screens/usage-screen.tsx')),
    'UsageScreen',
  ),
});

const invoices = createRoute({
  ...memberScreen(invoicesScreen),
  validateSearch: invoicesScreen.search,
  component: lazyRouteComponent(
    keptOffline(() => import('./screens/invoices-screen.tsx')),
    'InvoicesScreen',
  ),
});

const referralSystem = createRoute({
  ...memberScreen(referralScreen),
  validateSearch: referralScreen.search,
  component: lazyRouteComponent(
    keptOffline(() => import('./screens/referral-screen.tsx')),
    'ReferralScreen',
  ),
});

const account = createRoute({
  ...memberScreen(accountScreen),
  component: lazyRouteComponent(
    keptOffline(() => import('./screens/account-screen.tsx')),
    'AccountScreen',
  ),
});

const transactions = createRoute({
  ...memberScreen(transactionsScreen),
  validateSearch: transactionsScreen.search,
  component: lazyRouteComponent(
    keptOffline(() => import('./screens/transactions-screen.tsx')),
    'TransactionsScreen',
  ),
});

const faq = createRoute({
  ...memberScreen(faqScreen),
  component: lazyRouteComponent(
    keptOffline(() => import('../features/faq/faq-page.tsx')),
    'FaqPage',
  ),
});

const tickets = createRoute({
  ...memberScreen(ticketsScreen),
  validateSearch: ticketsScreen.search,
  component: lazyRouteComponent(
    keptOffline(() => import('./screens/tickets-screen.tsx')),
    'TicketsScreen',
  ),
});

const ticket = createRoute({
  ...memberScreen(ticketScreen),
  validateSearch: ticketScreen.search,
  component: lazyRouteComponent(
    keptOffline(() => import('./screens/ticket-screen.tsx')),
    'TicketScreen',
  ),
});

/** Shared with the routes of staff, which app/staff/staff-routes.tsx adds. */
export const publicRoutes = [
  landing,
  publicMessage,
  receiptCheck,
  legal,
  guests.addChildren([signIn, signUp, restoreAccess, setPassword]),
] as const;
export const memberRoutes = [
  proxies,
  connectionHistory,
  usage,
  invoices,
  transactions,
  faq,
  tickets,
  ticket,
  referralSystem,
  account,
] as const;
