/** The web app in a simulated browser, with an API that the test mocks: for what depends on responses, not on layout. */
import type { ErrorCode } from '@cellhop/contract/errors';
import { reportBrowserError } from '@cellhop/contract/browser-errors';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { currencies } from '@cellhop/contract/invoices.values';
import type { Settings } from '@cellhop/contract/settings';
import type { Profile } from '@cellhop/contract/users';
import { createBrowserHistory, RouterProvider } from '@tanstack/react-router';
import { act, cleanup, configure, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import i18next from 'i18next';
import { expect, onTestFinished, vi } from 'vitest';
import { router } from '../src/app/router.ts';
import type { Language } from '../src/i18n/languages.ts';
import { onCaughtError } from '../src/app/start-app.tsx';
import { acceptTranslators } from '../src/app/translated-page.ts';
import { startTranslations } from '../src/i18n/setup.ts';
import { queryClient } from '../src/data/query.ts';
import { readServerClock } from '../src/data/server-clock.ts';
import { clearToasts } from '../src/ui/toasts.ts';
import { issued } from './tokens.ts';

configure({
  // Without layout, menus and popovers count as scrolled out of view. What is visible has tests in a real browser.
  defaultHidden: true,
  // The whole page in each error hides its first line.
  getElementError: (message) => Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' }),
});

const unrendered = { startTransition: router.startTransition };

interface ApiRequest {
  url: URL;
  body: unknown;
  headers: Headers;
}

/** Replaces `fetch`. A function may wait, fail as a lost network does, or look at the request. */
type Answer = object | ((request: ApiRequest) => object | Promise<object>);
/** By method and path, such as 'GET /v1/profile'; a path may contain `*` for one of its parts. */
export type Answers = Record<string, Answer>;

export const customer: Profile = {
  id: '00000000-0000-4000-8000-00000000c001',
  email: 'customer@example.com',
  balance: 1,
  referralLevel: 'BASIC',
  languageCode: 'en',
  referralCode: 'CUSTOMER',
  secondFactor: 'OFF',
  role: { name: 'USER', permissions: [] },
};

const settings: Settings = {
  brandName: 'Cellhop',
  isDevelopment: false,
  publicUrl: '',
  contactEmail: null,
  abuseEmail: null,
  seller: null,
  logo: null,
  refundMinutes: 30,
  idleMinutes: 30,
  currencies: [...currencies],
  offer: null,
};

/** What the frame around each screen requests. */
const shellAnswers: Answers = {
  'GET /v1/settings': { data: settings },
  'GET /v1/profile': { data: customer },
  'GET /v1/notifications': { data: [], totalPages: 1, unreadCount: 0 },
  'GET /v1/proxies/connections': { data: [], totalPages: 1 },
  // Of the form for a new invoice.
  'GET /v1/proxies/lowest-price': { data: { megabytePrice: null } },
  // Without events, the screens poll.
  [`GET ${LIVE_EVENTS_PATH}`]: () => new Promise<never>(() => {}),
};

/** What happy-dom adds to the window. */
interface SimulatedWindow {
  happyDOM: { setViewport: (size: { width: number; height: number }) => void };
}

interface Options {
  answers?: Answers;
  language?: Language;
  isSignedIn?: boolean;
  /** Of the window, in pixels: narrow screens have cards instead of tables. */
  width?: number;
}

/** Opens an address of the app, by default as a signed-in customer. It closes with the test. */
export async function openApp(path: string, options: Options = {}) {
  const { answers = {}, language = 'en', isSignedIn = true, width = 1440 } = options;
  const api = mockApi({ ...shellAnswers, ...answers });
  // What a test before has said about the server's clock.
  readServerClock(new Date().toUTCString());
  localStorage.clear();
  sessionStorage.clear();
  const { accessToken, refreshToken, expiredAccessTokenAt } = issued('session', 1);
  const tokens = { accessToken, refreshToken, accessTokenExpiredAt: expiredAccessTokenAt };
  const stored = { language, ...(isSignedIn && { tokens }) };
  (window as unknown as SimulatedWindow).happyDOM.setViewport({ width, height: 900 });
  for (const [name, value] of Object.entries(stored)) localStorage.setItem(name, JSON.stringify(value));
  if (!i18next.isInitialized) {
    acceptTranslators();
    await startTranslations();
  }
  await i18next.changeLanguage(language);
  // As in a browser without Web Locks: the simulated one has `null` in their place.
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true });
  // Text areas that grow measure again when fonts have loaded.
  Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
  window.history.replaceState(null, '', path);
  const history = createBrowserHistory();
  router.update({ history });
  onTestFinished(() => {
    expect(misnamed()).toEqual([]);
    cleanup();
    clearToasts();
    history.destroy();
    queryClient.clear();
    vi.unstubAllGlobals();
  });
  // What the test before has rendered is gone: as before the first render, there is nothing to wait for.
  router.startTransition = unrendered.startTransition;
  await router.load();
  render(<RouterProvider router={router} />, { onCaughtError });
  const user = userEvent.setup();
  const fill = async (field: HTMLElement, text: string) => {
    await user.clear(field);
    await user.click(field);
    await user.paste(text);
  };
  return { api, user, fill, screen };
}

const amounts = (text: string | null): string[] => text?.match(/\$[\d.,\u00A0]*\d/g) ?? [];

/** Links and buttons whose accessible names have other amounts than they show. */
function misnamed(): (string | null)[] {
  const named = Array.from(document.querySelectorAll('a[aria-label], button[aria-label]'));
  return named
    .map((element) => ({ read: element.getAttribute('aria-label'), shown: element.textContent }))
    .filter(({ read, shown }) => amounts(read).length > 0 && amounts(shown).some((each) => !read!.includes(each)))
    .map(({ read }) => read);
}

/** Busy and disabled buttons keep the focus, so they have only the attribute. */
export const isDisabled = (button: HTMLElement): boolean => button.getAttribute('aria-disabled') === 'true';

/** A double click without delay: the second click comes before React renders the effect of the first. */
export function clickTwice(button: HTMLElement): void {
  act(() => {
    button.click();
    button.click();
  });
}

/** A refusal of the API with a code of its catalogue. */
export function refusal(status: number, code: ErrorCode, message: string = code): Response {
  return Response.json({ statusCode: status, error: 'Refused', code, message }, { status });
}

/** What `fetch` does without a network. */
export function lost(): never {
  throw new TypeError('Failed to fetch');
}

export interface MockedApi {
  /** Method, path and parameters of all requests, in order. */
  requests: string[];
  /** What the app has reported as an error of its own. A test that causes one removes it, or it fails. */
  errorReports: unknown[];
  /** Replaces answers, or adds some. */
  set: (answers: Answers) => void;
  /** All shown data is requested again, as by live events or when the user returns to the tab. */
  refetch: () => void;
}

function mockApi(initial: Answers): MockedApi {
  const answers = { ...initial };
  const api: MockedApi = {
    requests: [],
    errorReports: [],
    set: (more) => void Object.assign(answers, more),
    refetch: () => void queryClient.invalidateQueries(),
  };
  const unexpected: string[] = [];
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const url = new URL(input, location.origin);
    const method = init.method ?? 'GET';
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : init.body;
    if (url.pathname === reportBrowserError.url) {
      api.errorReports.push(body);
      return new Response(null, { status: 204 });
    }
    api.requests.push(`${method} ${url.pathname}${url.search}`);
    const answer = answers[`${method} ${url.pathname}`] ?? findPattern(answers, `${method} ${url.pathname}`);
    if (answer === undefined) {
      unexpected.push(`${method} ${url.pathname}`);
      return refusal(404, 'NOT_FOUND');
    }
    const response = typeof answer === 'function' ? answer({ url, body, headers: new Headers(init.headers) }) : answer;
    return toResponse(await unlessAborted(Promise.resolve(response as object), init.signal));
  });
  onTestFinished(() => {
    if (unexpected.length > 0) throw new Error(`No answer for ${[...new Set(unexpected)].join(', ')}`);
    if (api.errorReports.length > 0) throw new Error(`The app has reported ${JSON.stringify(api.errorReports)}`);
  });
  return api;
}

function findPattern(answers: Answers, request: string): Answer | undefined {
  const parts = request.split('/');
  return Object.entries(answers).find(([pattern]) => {
    const expected = pattern.split('/');
    return expected.length === parts.length && expected.every((part, at) => part === '*' || part === parts[at]);
  })?.[1];
}

function toResponse(answer: object): Response {
  // An answer may be given several times, and the text of a response can be read once.
  return answer instanceof Response ? answer.clone() : Response.json(answer);
}

function unlessAborted<T>(response: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return response;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([response, aborted]);
}
