import type { Ticket, TicketMessage } from '@cellhop/contract/tickets';
import { fireEvent, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openApp, refusal } from '../../../test/open-app.tsx';

const ID = '00000000-0000-4000-8000-000000000001';
const TICKET = `/v1/support/tickets/${ID}`;
const createdAt = '2026-11-21T09:41:00.000Z';
const ticket: Ticket = { id: ID, name: 'It is slow', description: 'Since this morning.', status: 'OPEN', createdAt };
const fileOf = (number: number, name: string) => ({
  id: `00000000-0000-4000-8000-00000000f00${number}`,
  name,
  type: 'image/png' as const,
  size: 2048,
});

const file = (name: string, size = 3) => new File([new Uint8Array(size)], name, { type: 'image/png' });

it('uploads chosen, pasted and dropped files, names what is refused, and sends the others with the message', async () => {
  const sent: unknown[] = [];
  const messages: TicketMessage[] = [];
  let uploaded = 0;
  const { api, fill, screen, user } = await openApp(`/support/tickets/${ID}`, {
    answers: {
      [`GET ${TICKET}`]: { data: ticket },
      [`GET ${TICKET}/messages`]: () => ({ data: [...messages], totalPages: 1 }),
      [`POST ${TICKET}/files`]: ({ url }: { url: URL }) => {
        const name = url.searchParams.get('name')!;
        return name === 'bad.png' ? refusal(400, 'FILE_DAMAGED') : { data: fileOf(uploaded++, name) };
      },
      [`POST ${TICKET}/messages`]: ({ body }) => {
        sent.push(body);
        messages.push({ id: ID, content: 'See', isUser: true, files: [fileOf(0, 'a.png')], createdAt });
        return { data: messages[0] };
      },
    },
  });
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Your message');
  const input = screen.getByLabelText<HTMLInputElement>('Attach files');
  await user.upload(input, [file('a.png'), file('bad.png')]);
  const chosen = within(await screen.findByRole('list', { name: 'Files to send' }));
  await chosen.findByText('This file is damaged, or contains something else');
  const send = screen.getByRole('button', { name: 'Send' });
  // Not without the file that the author wants to send.
  expect(send.getAttribute('aria-disabled')).toBe('true');
  await user.click(chosen.getByRole('button', { name: 'Remove bad.png' }));
  fireEvent.paste(field, { clipboardData: { files: [file('large.png', 5 * 1_048_576 + 1)] } });
  await chosen.findByText('larger than 5 MB');
  expect(api.requests.filter((request) => request.startsWith(`POST ${TICKET}/files`))).toHaveLength(2);
  await user.click(chosen.getByRole('button', { name: 'Remove large.png' }));
  fireEvent.drop(field, { dataTransfer: { files: [file('b.png'), file('c.png'), file('d.png')], types: ['Files'] } });
  await screen.findByText('A message can have 3 files');
  await expect.poll(() => chosen.getAllByText('2 KB')).toHaveLength(3);
  expect(chosen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'a.png2 KB',
    'b.png2 KB',
    'c.png2 KB',
  ]);

  await fill(field, 'See');
  await user.click(send);
  await expect
    .poll(() => sent)
    .toEqual([{ content: 'See', fileIds: [0, 1, 2].map((number) => fileOf(number, '').id) }]);
  await expect.poll(() => screen.queryByRole('list', { name: 'Files to send' })).toBeNull();
  const files = within(await screen.findByRole('list', { name: 'Files' }));
  files.getByRole('button', { name: 'a.png 2 KB' });
});

it('shows messages without files, in Russian', async () => {
  const message = { id: ID, content: 'Ok', isUser: false, files: [], createdAt };
  const { screen } = await openApp(`/support/tickets/${ID}`, {
    language: 'ru',
    answers: { [`GET ${TICKET}`]: { data: ticket }, [`GET ${TICKET}/messages`]: { data: [message], totalPages: 1 } },
  });
  await screen.findByText('Ok');
  expect(screen.getByText(/^PNG, JPEG, WebP, PDF или TXT/).textContent).toContain('до 5 МБ');
  expect(screen.queryByRole('list', { name: 'Файлы' })).toBeNull();
});

it('sends the files of a new ticket once it exists', async () => {
  const calls: unknown[] = [];
  const sent = { id: ID, content: 'The files of my question:', isUser: true, files: [fileOf(0, 'a.png')], createdAt };
  const { fill, screen, user } = await openApp('/support/tickets?create=true', {
    answers: {
      'GET /v1/support/tickets': { data: [], totalPages: 0 },
      'POST /v1/support/tickets': () => {
        calls.push('ticket');
        return { data: ticket };
      },
      [`POST ${TICKET}/files`]: ({ url }: { url: URL }) => {
        calls.push(url.searchParams.get('name'));
        return { data: fileOf(0, 'a.png') };
      },
      [`POST ${TICKET}/messages`]: ({ body }) => {
        calls.push(body);
        return { data: sent };
      },
    },
  });
  const dialog = within(await screen.findByRole('dialog'));
  await fill(dialog.getByLabelText('Name'), ticket.name);
  const question = dialog.getByLabelText('Description');
  await fill(question, ticket.description);
  fireEvent.paste(question, { clipboardData: { files: [file('a.png')] } });
  await within(await dialog.findByRole('list', { name: 'Files to send' })).findByText('1 KB');
  expect(calls).toEqual([]);
  await user.click(dialog.getByRole('button', { name: 'Create ticket' }));
  await within(await screen.findByRole('list', { name: 'Files' })).findByRole('button', { name: 'a.png 2 KB' });
  expect(calls).toEqual(['ticket', 'a.png', { content: sent.content, fileIds: [fileOf(0, '').id] }]);
});
