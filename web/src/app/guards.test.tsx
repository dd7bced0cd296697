import { expect, it } from 'vitest';
import { type Answers, openApp, refusal } from '../../test/open-app.tsx';

const catalogue: Answers = {
  'GET /v1/proxies': refusal(500, 'INTERNAL'),
  'GET /v1/proxies/filter': refusal(500, 'INTERNAL'),
};

it.each(['/sign-in', '/sign-up?rc=WELCOME', '/restore-access/set-password?code=x'])(
  'leads signed-in users from %s to the proxies',
  async (path) => {
    const { screen } = await openApp(path, { answers: catalogue });
    await screen.findByRole('heading', { level: 1, name: 'Proxies' });
    expect(location.pathname).toBe('/proxies');
  },
);

it('has no page for a new password without a code', async () => {
  const { screen } = await openApp('/restore-access/set-password', { isSignedIn: false });
  await screen.findByRole('heading', { level: 1 });
  expect(location.pathname).toBe('/sign-in');
});

it('links from unknown paths to the home page', async () => {
  const { screen, user } = await openApp('/no/such/page', { answers: catalogue });
  await screen.findByRole('heading', { level: 1, name: 'This page does not exist' });
  await user.click(screen.getByRole('link', { name: 'Back to home' }));
  await expect.poll(() => location.pathname).toBe('/proxies');
});

it('redirects after sign-in only within the app', async () => {
  const { screen } = await openApp('/sign-in?next=//evil.example/', { answers: catalogue });
  await screen.findByRole('heading', { level: 1, name: 'Proxies' });
  expect(location.pathname).toBe('/proxies');
});
