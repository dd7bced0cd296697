import { expect, it } from 'vitest';
import { openApp } from '../../test/open-app.tsx';

it('quotes an unknown message as plain text', async () => {
  const message = '<img src=x onerror="document.title=1"><b>bold</b>';
  const { screen, user } = await openApp(`/public-message?message=${encodeURIComponent(message)}`, {
    isSignedIn: false,
  });
  await screen.findByRole('heading', { level: 1, name: 'Message' });
  screen.getByText(message);
  expect(screen.getByRole('main').querySelectorAll('img, b')).toHaveLength(0);
  await user.click(screen.getByRole('link', { name: 'Back to home' }));
  await expect.poll(() => location.pathname).toBe('/sign-in');
});
