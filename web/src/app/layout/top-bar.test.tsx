import { expect, it } from 'vitest';
import { customer, openApp } from '../../../test/open-app.tsx';

it('shows the balance in cents and reads the same amount; the exact one is its tooltip', async () => {
  const { screen } = await openApp('/proxies', {
    answers: {
      'GET /v1/profile': { data: { ...customer, balance: 314.456 } },
      'GET /v1/proxies/filter': { data: { country: {}, region: {}, city: {}, zip: {}, isp: {}, connectionType: {} } },
      'GET /v1/proxies': { data: [] },
    },
  });
  const balance = await screen.findByRole('link', { name: 'Balance $314.45, top up' });
  expect(balance.textContent).toBe('$314.45');
  // Not of the link, whose description screen readers read after its name.
  expect(balance.getAttribute('title')).toBeNull();
  expect(balance.querySelector('[title]')?.getAttribute('title')).toBe('$314.456');
});
