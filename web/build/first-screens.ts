import type { Namespace } from '../src/i18n/languages.ts';

export interface FirstScreen {
  /** What the router imports for it, see src/app/router.tsx. */
  modules: readonly string[];
  texts: readonly Namespace[];
  /** Whether signed-in readers see it, or others; undefined for all. */
  isForMembers?: boolean;
  /** What it asks the API for at once, besides the profile. */
  requests: readonly string[];
}

/** The page of its own, landing.html. */
export const landingScreen: Readonly<Record<string, FirstScreen>> = {
  '/': { modules: [], texts: ['common', 'landing'], requests: [] },
};

/** The screens of index.html that a reader may begin with. One that is missing here works as well, only later. */
export const firstScreens: Readonly<Record<string, FirstScreen>> = {
  '/sign-in': guest('app/screens/sign-in-screen'),
  '/sign-up': guest('app/screens/sign-up-screen'),
  '/restore-access': guest('features/auth/restore-access-page'),
  '/proxies': member('app/screens/proxies-screen', ['proxy', 'proxyConnection'], ['/v1/proxies', '/v1/proxies/filter']),
  '/connection-history': member('app/screens/connections-screen', ['proxyConnection']),
  '/usage': member('app/screens/usage-screen', ['proxyConnection']),
  '/payments/invoices': member('app/screens/invoices-screen', ['payment']),
  '/transactions': member('app/screens/transactions-screen', ['transaction']),
  '/faq': member('features/faq/faq-page', ['faq']),
  '/support/tickets': member('app/screens/tickets-screen', ['support']),
  '/referral-system': member('app/screens/referral-screen', ['referralSystem']),
  '/account': member('app/screens/account-screen', ['user']),
};

function guest(page: string): FirstScreen {
  return { modules: ['app/layout/guest-layout', page], texts: ['common', 'auth'], isForMembers: false, requests: [] };
}

function member(page: string, texts: readonly Namespace[], requests: readonly string[] = []): FirstScreen {
  const modules = ['app/layout/member-layout', page];
  return { modules, texts: ['common', 'notification', ...texts], isForMembers: true, requests };
}
