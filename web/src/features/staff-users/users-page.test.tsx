import { expect, it } from 'vitest';
import { customer, openApp } from '../../../test/open-app.tsx';

it('suggests narrower filters for a truncated list', async () => {
  const { screen } = await openApp('/admin/users', {
    answers: {
      'GET /v1/profile': {
        data: { ...customer, role: { name: 'ADMIN', permissions: ['USERS_READ'] } },
      },
      'GET /v1/users/admin/roles': { data: [] },
      'GET /v1/users/admin': { data: [], totalPages: 200, isTruncated: true },
    },
  });
  expect((await screen.findByText(/Narrow the filters/)).closest('main')).not.toBeNull();
  screen.getByRole('button', { name: /200/ });
});
