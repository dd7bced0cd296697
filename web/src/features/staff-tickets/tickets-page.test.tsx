import type { CannedReply } from '@cellhop/contract/staff/canned-replies';
import type { StaffTicket } from '@cellhop/contract/staff/tickets';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, clickTwice, refusal } from '../../../test/open-app.tsx';
import { openAsStaff } from '../../../test/open-staff.ts';

const TICKETS = '/v1/support/admin/tickets';
const REPLIES = '/v1/support/admin/canned-replies';
const userId = '00000000-0000-4000-8000-00000000c001';

function ticket(number: number): StaffTicket {
  const createdAt = new Date(Date.UTC(2026, 0, 1) - number * 60_000).toISOString();
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    name: `Question ${number}`,
    description: 'It was paid twice.',
    status: 'OPEN',
    createdAt,
    user: { id: userId, email: 'customer@example.com', languageCode: 'en' },
    assignee: null,
    waitingSince: null,
    version: 1,
  };
}

const counts: Answers = {
  'GET /v1/support/admin/ticket-views': { data: { open: 1, mine: 0, waiting: 1, oldest: 1 } },
  'GET /v1/support/admin/first-replies': { data: { medianSeconds: null, ticketCount: 0 } },
};

it('opens a ticket for a user, once for a double click', { tags: ['thorough'] }, async () => {
  const opened = ticket(1);
  const { api, fill, screen, user } = await openAsStaff('/admin/tickets', {
    answers: {
      ...counts,
      [`GET ${TICKETS}`]: { data: [], totalPages: 0, isTruncated: false },
      [`POST ${TICKETS}`]: refusal(404, 'NOT_FOUND'),
      [`GET ${TICKETS}/*/messages`]: { data: [], totalPages: 0 },
      [`GET ${TICKETS}/*/notes`]: { data: [], totalPages: 0 },
      [`GET ${TICKETS}/*/balance`]: { data: { balance: 1 } },
      [`GET ${TICKETS}/*/connections`]: { data: [], totalPages: 0 },
      [`GET ${REPLIES}`]: { data: [] },
      'GET /v1/support/admin/assignees': { data: [] },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Open a ticket for a user' }));
  const dialog = within(await screen.findByRole('dialog'));
  const email = await dialog.findByLabelText('Email of the user');
  await fill(email, 'nobody@example.com');
  await fill(dialog.getByLabelText('Name'), opened.name);
  await fill(dialog.getByLabelText('Description'), opened.description);
  await user.click(dialog.getByRole('button', { name: 'Open ticket' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('No user has this email');
  api.set({ [`POST ${TICKETS}`]: { data: opened }, [`GET ${TICKETS}/${opened.id}`]: { data: opened } });
  await fill(email, 'customer@example.com');
  api.requests.length = 0;
  clickTwice(dialog.getByRole('button', { name: 'Open ticket' }));
  await screen.findByRole('heading', { name: opened.name });
  expect(api.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  await user.click(screen.getByRole('link', { name: 'All tickets of this customer' }));
  await screen.findByText('Filtered by user', { exact: false });
  expect(location.search).toBe(`?userId=${userId}`);
});

const MESSAGES = `${TICKETS}/*/messages`;
const connection = {
  id: '00000000-0000-4000-8000-00000000d001',
  ip: '198.18.0.12',
  countryCode: 'PT',
  city: 'Lisbon',
  createdAt: '2026-01-01T00:00:00.000Z',
};
/** What the page of the ticket requests. */
const ticketAnswers: Answers = {
  [`GET ${TICKETS}/*/notes`]: { data: [], totalPages: 0 },
  [`GET ${TICKETS}/*/balance`]: { data: { balance: 1 } },
  [`GET ${TICKETS}/*/connections`]: {
    data: [
      ...[13, 14, 15, 16, 17].map((last) => ({
        ...connection,
        id: `${userId.slice(0, -2)}${last}`,
        ip: `198.18.0.${last}`,
      })),
      connection,
    ],
  },
  [`GET ${MESSAGES}`]: { data: [], totalPages: 0 },
  [`GET ${REPLIES}`]: { data: [] },
  [`GET ${TICKETS}`]: { data: [], totalPages: 0, isTruncated: false },
  'GET /v1/support/admin/assignees': { data: [] },
};

it('lists what waits for staff first, with the time of each wait, and all tickets of a user', async () => {
  const views: (string | null)[] = [];
  const waitingSince = new Date(Date.now() - 3 * 3_600_000 - 60_000).toISOString();
  const { screen, user } = await openAsStaff('/admin/tickets', {
    answers: {
      ...counts,
      [`GET ${TICKETS}`]: ({ url }) => {
        views.push(url.searchParams.get('view'));
        return { data: [{ ...ticket(1), waitingSince }], totalPages: 1, isTruncated: false };
      },
    },
  });
  await screen.findByText('waits 3 h');
  expect(views.at(-1)).toBe('waiting');
  await user.click(screen.getByRole('link', { name: /^All/ }));
  await expect.poll(() => views.at(-1)).toBe('all');
  expect(location.search).toBe('?view=all');
  await user.click(screen.getByRole('link', { name: /^Waiting for us/ }));
  await expect.poll(() => location.search).toBe('');
});

it('keeps a status from an old link, which is one of all tickets', async () => {
  const { api, screen } = await openAsStaff('/admin/tickets?status=CLOSED', {
    answers: { ...counts, [`GET ${TICKETS}`]: { data: [], totalPages: 0, isTruncated: false } },
  });
  await screen.findByText('No tickets match these filters.');
  expect(api.requests.join(' ')).toMatch(/view=all&status=CLOSED/);
});

it('sends an answer and closes the ticket, and links the connection that it is about', async () => {
  let opened: StaffTicket = { ...ticket(1), description: 'Nothing loads through 198.18.0.12:1080.' };
  const { api, fill, screen } = await openAsStaff(`/admin/tickets/${opened.id}`, {
    answers: {
      ...ticketAnswers,
      [`GET ${TICKETS}/*`]: () => ({ data: opened }),
      [`POST ${MESSAGES}`]: {
        data: {
          id: userId,
          content: 'Fixed.',
          isUser: false,
          files: [],
          createdAt: opened.createdAt,
          author: { id: userId, email: 'admin@example.com' },
        },
      },
      [`PATCH ${TICKETS}/*`]: () => {
        opened = { ...opened, status: 'CLOSED' };
        return { data: opened };
      },
    },
  });
  const side = within(await screen.findByRole('complementary', { name: 'About the customer' }));
  const links = await side.findAllByRole('link', { name: /^198/ });
  expect(links.map(({ textContent }) => textContent)).toEqual([12, 13, 14, 15, 16].map((last) => `198.18.0.${last}`));
  side.getByText('and 1 more');
  expect(links[0]!.getAttribute('href')).toBe(`/admin/connections?userId=${userId}&connection=${connection.id}`);
  side.getByText('named in the ticket');
  await fill(screen.getByLabelText('Your reply'), 'Fixed.');
  clickTwice(screen.getByRole('button', { name: 'Send and close' }));
  const closed = await screen.findByText('This ticket is closed.');
  await expect.poll(() => document.activeElement).toBe(closed);
  const changes = api.requests.filter((request) => /^(?:POST|PATCH)/.test(request));
  expect(changes.map((request) => request.split(' ')[0])).toEqual(['POST', 'PATCH']);
});

it('sends an answer by Ctrl+Enter, and no answer by Enter alone', async () => {
  const opened = ticket(1);
  const { api, fill, screen, user } = await openAsStaff(`/admin/tickets/${opened.id}`, {
    answers: {
      ...ticketAnswers,
      [`GET ${TICKETS}/*`]: { data: opened },
      [`POST ${MESSAGES}`]: {
        data: {
          id: userId,
          content: 'Fixed.',
          isUser: false,
          files: [],
          createdAt: opened.createdAt,
          author: { id: userId, email: 'admin@example.com' },
        },
      },
    },
  });
  await screen.findByText('Ctrl+Enter sends it');
  const field = screen.getByLabelText<HTMLTextAreaElement>('Your reply');
  await fill(field, 'Fixed.');
  const sent = () => api.requests.filter((request) => request.startsWith('POST'));
  await user.keyboard('{Enter}');
  expect(sent()).toEqual([]);
  await user.keyboard('{Control>}{Enter}{/Control}');
  await expect.poll(() => field.value).toBe('');
  expect(sent()).toHaveLength(1);
});

it('leaves a ticket open if its answer is refused, and offers no closing to those who may not close', async () => {
  const opened = ticket(1);
  const { api, fill, screen, user } = await openAsStaff(`/admin/tickets/${opened.id}`, {
    answers: {
      ...ticketAnswers,
      [`GET ${TICKETS}/*`]: { data: opened },
      [`POST ${MESSAGES}`]: refusal(409, 'CHANGED_ELSEWHERE'),
    },
  });
  await fill(await screen.findByLabelText('Your reply'), 'Fixed.');
  await user.click(screen.getByRole('button', { name: 'Send and close' }));
  await screen.findByRole('button', { name: 'Send anyway' });
  expect(screen.queryByRole('button', { name: 'Send and close' })).toBeNull();
  expect(api.requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
});

it('offers no "send and close" to staff who may only answer', async () => {
  const { screen } = await openAsStaff(`/admin/tickets/${ticket(1).id}`, {
    allowed: ['TICKETS_READ', 'TICKETS_MSG_WRITE'],
    answers: { ...ticketAnswers, [`GET ${TICKETS}/*`]: { data: ticket(1) } },
  });
  await screen.findByRole('button', { name: 'Send' });
  expect(screen.queryByRole('button', { name: 'Send and close' })).toBeNull();
});

it('continues a list that is too long for its pages', { tags: ['thorough'] }, async () => {
  const { screen, user } = await openAsStaff(`/admin/tickets?userId=${userId}&page=300`, {
    answers: {
      ...counts,
      [`GET ${TICKETS}`]: ({ url }) => {
        const page = Number(url.searchParams.get('page'));
        // The continued list repeats its start row.
        if (url.searchParams.has('to'))
          return { data: [ticket(10_000), ticket(10_001)], totalPages: 1, isTruncated: false };
        if (page === 1) return { data: [ticket(1)], totalPages: 200, isTruncated: true };
        return { data: page > 200 ? [] : [ticket(9999), ticket(10_000)], totalPages: 200, isTruncated: true };
      },
    },
  });
  // A page after the last one, from an old link for example.
  await user.click(await screen.findByRole('button', { name: 'Go to the last page' }));
  await expect.poll(() => location.search).toContain('page=200');
  await screen.findByText('Question 10000');
  screen.getByText(/There may be more rows/);
  await user.click(screen.getByRole('button', { name: 'Continue after this row' }));
  await screen.findByText('Question 10001');
  expect(location.search).toContain('until=');
  screen.getByText('Question 10000');
  expect(screen.queryByText('Question 9999')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Continue after this row' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Back to the start' }));
  await screen.findByText('Question 1');
});

const greeting: CannedReply = {
  id: '00000000-0000-4000-8000-000000000001',
  title: 'Greeting',
  contentEn: 'Hello!',
  contentRu: 'Здравствуйте!',
  version: 1,
  updatedAt: '2026-11-21T12:00:00.000Z',
};

it('adds, changes and deletes canned replies', { tags: ['thorough'] }, async () => {
  let replies: CannedReply[] = [];
  const { api, fill, screen, user } = await openAsStaff('/admin/tickets/replies', {
    answers: {
      [`GET ${REPLIES}`]: () => ({ data: replies }),
      [`POST ${REPLIES}`]: () => {
        replies = [greeting];
        return { data: greeting };
      },
      [`PATCH ${REPLIES}/*`]: ({ body }) => {
        replies = [{ ...greeting, ...(body as Partial<CannedReply>), version: 2 }];
        return { data: replies[0] };
      },
      [`DELETE ${REPLIES}/*`]: () => {
        replies = [];
        return { data: { id: greeting.id } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Add a canned reply' }));
  const adding = within(await screen.findByRole('dialog'));
  await fill(await adding.findByLabelText('Title'), greeting.title);
  await fill(adding.getByLabelText('Text in English'), greeting.contentEn);
  await user.click(adding.getByRole('button', { name: 'Save' }));
  await adding.findByText('Required field');
  await fill(adding.getByLabelText('Text in Russian'), greeting.contentRu);
  clickTwice(adding.getByRole('button', { name: 'Save' }));
  await user.click(await screen.findByRole('button', { name: 'Change Greeting' }));
  expect(api.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  const changing = within(await screen.findByRole('dialog'));
  await fill(await changing.findByLabelText('Text in English'), 'Good morning!');
  await user.click(changing.getByRole('button', { name: 'Save' }));
  await screen.findByText('Good morning!');
  await user.click(screen.getByRole('button', { name: 'Delete Greeting' }));
  const question = within(await screen.findByRole('dialog'));
  await user.click(question.getByRole('button', { name: 'Delete' }));
  await expect.poll(() => screen.queryByRole('button', { name: 'Delete Greeting' })).toBeNull();
});

it(
  'does not delete a canned reply that others changed meanwhile; the next attempt has its new version',
  { tags: ['thorough'] },
  async () => {
    let reply = greeting;
    const versions: (string | null)[] = [];
    const { api, screen, user } = await openAsStaff('/admin/tickets/replies', {
      answers: {
        [`GET ${REPLIES}`]: () => ({ data: [reply] }),
        [`DELETE ${REPLIES}/*`]: ({ url }) => {
          versions.push(url.searchParams.get('version'));
          return versions.length === 1 ? refusal(409, 'CHANGED_ELSEWHERE') : { data: { id: reply.id } };
        },
      },
    });
    const remove = async () => {
      await user.click(await screen.findByRole('button', { name: 'Delete Greeting' }));
      return within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' });
    };
    const confirm = await remove();
    reply = { ...greeting, contentEn: 'Good morning', version: 2 };
    api.refetch();
    // The live event has updated the row, but the dialog still has the older version.
    await screen.findByText('Good morning');
    await user.click(confirm);
    await screen.findByText('Someone else has changed this', { exact: false });
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
    await user.click(await remove());
    await expect.poll(() => versions).toEqual(['1', '2']);
  },
);
