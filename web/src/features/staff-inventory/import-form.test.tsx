import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { isDisabled } from '../../../test/open-app.tsx';
import { openAsStaff } from '../../../test/open-staff.ts';

const previewOf = (line: number, hasLink: boolean) => ({
  line,
  ip: null,
  exit: 'http://***@gate.test:8000',
  node: 'paris',
  place: 'DE, -, -, -, Telekom, LTE',
  price: 0.8,
  hasLink,
});
const counts = { newCount: 0, changedCount: 0, unchangedCount: 0, waitingCount: 0 };
const refused = (problem: string) => ({
  ...counts,
  id: null,
  preview: [],
  errors: [{ line: 1, column: 'exit', problem, value: null }],
  errorCount: 1,
});
const read = {
  ...counts,
  id: '00000000-0000-4000-9000-000000000001',
  waitingCount: 2,
  preview: [previewOf(1, false), previewOf(2, true)],
  errors: [],
  errorCount: 0,
};

async function openImport(answer: (url: URL) => object, waiting: object[] = []) {
  const queries: URLSearchParams[] = [];
  const removed: string[] = [];
  const app = await openAsStaff('/admin/proxies', {
    answers: {
      'GET /v1/proxies/admin': { data: [], totalPages: 0 },
      'GET /v1/proxies/admin/changes': { data: [] },
      'GET /v1/proxies/admin/waiting': { data: waiting, totalPages: 1 },
      'DELETE /v1/proxies/admin/waiting/*': ({ url }) => {
        removed.push(url.pathname.split('/').at(-1)!);
        return { data: { id: removed[0] } };
      },
      'POST /v1/proxies/admin/imports': ({ url }) => {
        queries.push(url.searchParams);
        return { data: answer(url) };
      },
    },
  });
  return { ...app, queries, removed };
}

async function choose({ screen, user }: Awaited<ReturnType<typeof openImport>>) {
  await user.click((await screen.findAllByRole('button', { name: 'Import' }))[0]!);
  const dialog = within(await screen.findByRole('dialog'));
  await user.upload(await dialog.findByLabelText('File'), new File(['x'], 'list.txt', { type: 'text/plain' }));
  return dialog;
}

it('fills in what a list does not say, and shows how each line was read', async () => {
  const app = await openImport(() => read);
  const dialog = await choose(app);
  const { user } = app;
  await user.click(dialog.getByText('What the file does not say'));
  await user.type(dialog.getByLabelText('Country (code)'), 'uk');
  const check = dialog.getByRole('button', { name: 'Check the file' });
  expect(isDisabled(check)).toBe(true);
  await user.clear(dialog.getByLabelText('Country (code)'));
  await user.type(dialog.getByLabelText('Country (code)'), 'de');
  await user.type(dialog.getByLabelText('Price in US dollars'), '0.8');
  await user.type(dialog.getByLabelText('ISP'), 'Telekom');
  await user.type(dialog.getByLabelText('Connection type'), 'LTE');
  await user.click(check);
  const preview = within(await dialog.findByRole('region', { name: 'How the lines were read (the first 100)' }));
  const [first, second] = preview.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(first).toContain('Line 1: IP address not known yet');
  expect(first).toContain('http://***@gate.test:8000 at gateway paris');
  expect(second).toContain('DE, -, -, -, Telekom, LTE, $0.80With a link that changes the IP address');
  dialog.getByText(/Not in the catalogue until a check has found the IP address: 2\./);
  dialog.getByRole('button', { name: 'Import 2' });
  expect(Object.fromEntries(app.queries[0]!)).toEqual({
    format: 'csv',
    fileName: 'list.txt',
    price: '0.8',
    countryCode: 'DE',
    isp: 'Telekom',
    connectionType: 'LTE',
    exitKind: 'socks5',
  });
});

it('asks for the order of lines that can be read in both', async () => {
  const app = await openImport(({ searchParams }) => (searchParams.has('order') ? read : refused('EITHER_ORDER')));
  const dialog = await choose(app);
  await app.user.click(dialog.getByRole('button', { name: 'Check the file' }));
  await dialog.findByText(/can be read either way: choose the order above/);
  const orders = within(dialog.getByRole('radiogroup', { name: /^The lines can be read either way/ }));
  await app.user.click(orders.getByRole('radio', { name: 'host:port, then user:password' }));
  await dialog.findByRole('button', { name: 'Import 2' });
  expect(app.queries.map((query) => query.get('order'))).toEqual([null, 'host-first']);
});

it('lists what waits for its address and why, and removes it', async () => {
  const row = {
    exitId: '00000000-0000-4000-9000-000000000009',
    exit: 'http://***@gate.test:8000',
    node: 'paris',
    countryCode: 'DE',
    region: '-',
    city: '-',
    zip: '-',
    isp: 'Telekom',
    asn: null,
    connectionType: 'LTE',
    price: 0.8,
    createdAt: new Date().toISOString(),
    checkedAt: null,
    reason: null,
    seenAddress: null,
    isTaken: false,
  };
  const checkedAt = new Date().toISOString();
  const others = [
    { checkedAt, reason: 'upstream-auth-failed' },
    { checkedAt, seenAddress: '198.51.100.1', isTaken: true },
    { checkedAt },
  ].map((other, index) => ({ ...row, ...other, exitId: `00000000-0000-4000-9000-00000000001${index}` }));
  const { screen, user, removed } = await openImport(() => read, [row, ...others]);
  const region = within(await screen.findByRole('region', { name: 'Waiting for their IP address' }));
  const reasons = [
    'not checked yet',
    'the proxy rejects the credentials',
    'Another proxy has 198.51.100.1.',
    'no public',
  ];
  const items = region.getAllByRole('listitem');
  for (const [index, reason] of reasons.entries()) expect(items[index]!.textContent).toContain(reason);
  await user.click(region.getAllByRole('button', { name: 'Remove http://***@gate.test:8000 at gateway paris' })[0]!);
  await screen.findByText('Removed');
  expect(removed).toEqual([row.exitId]);
});
