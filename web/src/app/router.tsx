import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { loadTexts } from '../i18n/setup.ts';
import { loadSettings } from '../lib/settings.ts';
import { hasTokens } from '../lib/tokens.ts';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { GlobalErrorPage } from './global-error-page.tsx';
import { ScreenFailure } from './layout/screen-failure.tsx';
import { comingBackTo, nextSearch } from './next-page.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { RootLayout } from './root-layout.tsx';
import {
  catalogueSearch,
  codeSearch,
  connectionsSearch,
  creatingSearch,
  invoicesSearch,
  messageSearch,
  pageSearch,
  referralSearch,
  transactionsSearch,
  usageSearch,
} from './search.ts';
import { parseSearch, stringifySearch } from './search-text.ts';

const root = createRootRoute({
  component: RootLayout,
  loader: () => loadSettings(),
  notFoundComponent: NotFoundPage,
  // Takes the whole screen, not a place within a layout. Screens behind sign-in have a boundary of their own each.
  errorComponent: GlobalErrorPage,
});

/** A page of its own (landing.html), so the way there leaves this one. */
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
  validateSearch: messageSearch,
  component: lazyRouteComponent(() => import('./public-message-page.tsx'), 'PublicMessagePage'),
});

/** For visitors: whoever has signed in goes to the proxies, or back to where sign-in interrupted him. */
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

const signIn = createRoute({
  getParentRoute: () => guests,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./screens/sign-in-screen.tsx'), 'SignInScreen'),
});

const signUp = createRoute({
  getParentRoute: () => guests,
  path: '/sign-up',
  validateSearch: referralSearch,
  component: lazyRouteComponent(() => import('./screens/sign-up-screen.tsx'), 'SignUpScreen'),
});

const restoreAccess = createRoute({
  getParentRoute: () => guests,
  path: '/restore-access',
  component: lazyRouteComponent(() => import('../features/auth/restore-access-page.tsx'), 'RestoreAccessPage'),
});

const setPassword = createRoute({
  getParentRoute: () => guests,
  path: '/restore-access/set-password',
  validateSearch: codeSearch,
  beforeLoad: ({ search }) => {
    if (search.code === undefined) throw redirect({ to: '/sign-in', replace: true });
  },
  component: lazyRouteComponent(() => import('./screens/set-password-screen.tsx'), 'SetPasswordScreen'),
});

/** For signed-in users; the layout also watches that they stay signed in. */
const members = createRoute({
  getParentRoute: () => root,
  id: 'members',
  beforeLoad: ({ location }) => {
    if (!hasTokens()) throw redirect({ to: '/sign-in', search: comingBackTo(location.href), replace: true });
  },
  loader: loadTexts('notification'),
  component: lazyRouteComponent(() => import('./layout/member-layout.tsx'), 'MemberLayout'),
});

const loadProxies = () => import('./screens/proxies-screen.tsx');
const proxies = createRoute({
  getParentRoute: () => members,
  path: '/proxies',
  errorComponent: ScreenFailure,
  validateSearch: catalogueSearch,
  loader: ({ location }) => {
    // Asked for before the frame is drawn, so that the rows can come with it. A failure is told when they are missed.
    loadProxies().then(
      ({ askForCatalogue }) => askForCatalogue(location.search),
      () => undefined,
    );
    return loadTexts('proxy', 'proxyConnection')();
  },
  component: lazyRouteComponent(loadProxies, 'ProxiesScreen'),
});

const connectionHistory = createRoute({
  getParentRoute: () => members,
  path: '/connection-history',
  errorComponent: ScreenFailure,
  validateSearch: connectionsSearch,
  loader: loadTexts('proxyConnection'),
  component: lazyRouteComponent(() => import('./screens/connections-screen.tsx'), 'ConnectionsScreen'),
});

const usage = createRoute({
  getParentRoute: () => members,
  path: '/usage',
  errorComponent: ScreenFailure,
  validateSearch: usageSearch,
  loader: loadTexts('proxyConnection'),
  component: lazyRouteComponent(() => import('./screens/usage-screen.tsx'), 'UsageScreen'),
});

const invoices = createRoute({
  getParentRoute: () => members,
  path: '/payments/invoices',
  errorComponent: ScreenFailure,
  validateSearch: invoicesSearch,
  loader: loadTexts('payment'),
  component: lazyRouteComponent(() => import('./screens/invoices-screen.tsx'), 'InvoicesScreen'),
});

const referralSystem = createRoute({
  getParentRoute: () => members,
  path: '/referral-system',
  errorComponent: ScreenFailure,
  validateSearch: pageSearch,
  loader: loadTexts('referralSystem'),
  component: lazyRouteComponent(() => import('./screens/referral-screen.tsx'), 'ReferralScreen'),
});

const account = createRoute({
  getParentRoute: () => members,
  path: '/account',
  errorComponent: ScreenFailure,
  loader: loadTexts('user'),
  component: lazyRouteComponent(() => import('./screens/account-screen.tsx'), 'AccountScreen'),
});

const transactions = createRoute({
  getParentRoute: () => members,
  path: '/transactions',
  errorComponent: ScreenFailure,
  validateSearch: transactionsSearch,
  loader: loadTexts('transaction'),
  component: lazyRouteComponent(() => import('./screens/transactions-screen.tsx'), 'TransactionsScreen'),
});

const faq = createRoute({
  getParentRoute: () => members,
  path: '/faq',
  errorComponent: ScreenFailure,
  loader: loadTexts('faq'),
  component: lazyRouteComponent(() => import('../features/faq/faq-page.tsx'), 'FaqPage'),
});

const tickets = createRoute({
  getParentRoute: () => members,
  path: '/support/tickets',
  errorComponent: ScreenFailure,
  validateSearch: creatingSearch,
  loader: loadTexts('support'),
  component: lazyRouteComponent(() => import('./screens/tickets-screen.tsx'), 'TicketsScreen'),
});

const ticket = createRoute({
  getParentRoute: () => members,
  path: '/support/tickets/$ticketId',
  errorComponent: ScreenFailure,
  validateSearch: pageSearch,
  loader: loadTexts('support'),
  component: lazyRouteComponent(() => import('./screens/ticket-screen.tsx'), 'TicketScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    landing,
    publicMessage,
    guests.addChildren([signIn, signUp, restoreAccess, setPassword]),
    members.addChildren([
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
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPendingComponent: FullScreenSpinner,
  defaultPendingMs: 200,
  defaultPendingMinMs: 200,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
