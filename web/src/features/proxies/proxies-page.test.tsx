import { expect, it } from 'vitest';
import { type Answers, openApp, refusal } from '../../../test/open-app.tsx';

const catalogue: Answers = {
  'GET /v1/proxies': { data: [], totalPages: 1 },
  'GET /v1/proxies/filter': refusal(500, 'INTERNAL'),
  'GET /v1/proxies/facets': refusal(500, 'INTERNAL'),
};

it('does not send unknown parameters of the address', async () => {
  const { api, screen } = await openApp('/proxies?foo=1', { answers: catalogue });
  await screen.findByText('Failed loaded proxy filters');
  expect(api.requests.filter((request) => request.startsWith('GET /v1/proxies') && request.includes('foo'))).toEqual(
    [],
  );
  expect(api.requests).toContain('GET /v1/proxies');
  // The only crumb is the page itself.
  const crumbs = screen.getByRole('navigation', { name: 'Breadcrumbs' });
  expect([...crumbs.querySelectorAll('[aria-current]')].map(({ textContent }) => textContent)).toEqual(['Home']);
});

it('explains at sign-in that a session has ended during use', async () => {
  const { api, screen, user } = await openApp('/proxies', {
    answers: { ...catalogue, 'GET /v1/payments/invoices': refusal(401, 'UNAUTHORIZED') },
  });
  await screen.findByRole('heading', { level: 1, name: 'Proxies' });
  api.set({ 'GET /v1/payments/currencies': { data: [] } });
  await user.click(screen.getByRole('link', { name: 'Payments' }));
  await screen.findByText('Your session has ended. Please sign in again');
  expect(location.pathname).toBe('/sign-in');
});
