import { expect, it } from 'vitest';
import { openApp } from '../../../test/open-app.tsx';

it('shows a spinner while the profile loads, and then an error page from which one can reload or log out', async () => {
  let respond!: (response: Response) => void;
  const response = new Promise<Response>((resolve) => (respond = resolve));
  const { screen } = await openApp('/faq', {
    answers: { 'GET /v1/faqs': { data: [] }, 'GET /v1/profile': () => response },
  });
  await screen.findByRole('status', { name: 'Loading' });
  expect(screen.queryByRole('navigation')).toBeNull();
  respond(new Response('<h1>Bad gateway</h1>', { status: 500, headers: { 'content-type': 'text/html' } }));
  await screen.findByRole('heading', { level: 1, name: 'Something went wrong' });
  screen.getByText('An error occurred, please try again later');
  screen.getByRole('button', { name: 'Reload page' });
  screen.getByRole('button', { name: 'Log Out' });
});
