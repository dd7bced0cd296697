import { expect, it, onTestFinished, vi } from 'vitest';
import { openApp } from '../../../test/open-app.tsx';

it('shows a spinner while the profile loads, and then an error page from which one can reload or log out', async () => {
  let respond!: (response: Response) => void;
  const response = new Promise<Response>((resolve) => (respond = resolve));
  const reload = vi.spyOn(location, 'reload').mockReturnValue();
  onTestFinished(() => reload.mockRestore());
  const { screen, user } = await openApp('/faq', {
    answers: { 'GET /v1/faqs': { data: [] }, 'GET /v1/profile': () => response },
  });
  await screen.findByRole('status', { name: 'Loading' });
  expect(screen.queryByRole('navigation')).toBeNull();
  respond(new Response('<h1>Bad gateway</h1>', { status: 500, headers: { 'content-type': 'text/html' } }));
  await screen.findByRole('heading', { level: 1, name: 'Something went wrong' });
  screen.getByText('An error occurred, please try again later');
  screen.getByRole('button', { name: 'Log Out' });
  await user.click(screen.getByRole('button', { name: 'Reload page' }));
  expect(reload).toHaveBeenCalledOnce();
  // The same screen is loaded again.
  expect(location.pathname).toBe('/faq');
});
