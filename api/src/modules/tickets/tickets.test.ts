import {
  createTicket,
  closeTicket,
  getTicket,
  listTicketMessages,
  listTickets,
  sendTicketMessage,
} from '@cellhop/contract/tickets';
import {
  answerTicket,
  closeAnyTicket,
  createTicketForUser,
  getAnyTicket,
  listAllTickets,
  listAnyTicketMessages,
} from '@cellhop/contract/staff/tickets';
import { listNotifications } from '@cellhop/contract/notifications';
import type { ApiError } from '@cellhop/contract/client';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { openStream } from '../../../test/live.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let user: TestUser;
let support: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  [user, support] = [await createUser(testApp), await createUser(testApp, { roleName: 'SUPPORT' })];
});
afterAll(() => testApp.stop());

const body = { name: 'It is slow', description: 'Since this morning everything is slow.' };
const open = async (owner = user) => (await owner.call(createTicket, { body })).data;
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const write = (params: { id: string }, content: string) => user.call(sendTicketMessage, { params, body: { content } });
const closed = { status: 409, code: 'TICKET_CLOSED', message: 'Ticket is closed' };
const missing = { status: 404, code: 'NOT_FOUND', message: 'Ticket not found' };

describe('a ticket', () => {
  test('updates open pages, and a reply of staff causes one notification', async () => {
    const owner = await createUser(testApp);
    const stream = await openStream(testApp.url, owner);
    const { id } = await open(owner);
    await stream.saw('changed tickets');
    const params = { id };
    await owner.call(sendTicketMessage, { params, body: { content: 'Hello?' } });
    const answer = () => support.call(answerTicket, { params, body: { content: 'Yes.' } }, keyed('one answer'));
    await answer();
    await answer();
    await stream.saw('changed notifications');
    stream.close();
    const { data } = await owner.call(listNotifications, { query: {} });
    expect(data.map(({ description }) => description)).toEqual([
      `The support team has replied to your ticket <a href="/support/tickets/${id}">${body.name}</a>.`,
    ]);
  });

  test('is opened, answered by both sides, and closed', async () => {
    const ticket = await open();
    expect(ticket).toMatchObject({ ...body, status: 'OPEN' });
    const params = { id: ticket.id };
    await write(params, '<b>Hello?</b>');
    const answer = (await support.call(answerTicket, { params, body: { content: 'We are looking into it.' } })).data;
    expect(answer.isUser).toBe(false);
    await write(params, 'Thanks');
    const { data, totalPages } = await user.call(listTicketMessages, { params, query: {} });
    expect(data.map(({ content, isUser }) => [content, isUser])).toEqual([
      ['Thanks', true],
      ['We are looking into it.', false],
      ['<b>Hello?</b>', true],
    ]);
    expect(totalPages).toBe(1);
    const second = await support.call(listAnyTicketMessages, { params, query: { page: 2, size: 2 } });
    expect([second.data.map(({ content }) => content), second.totalPages]).toEqual([['<b>Hello?</b>'], 2]);

    expect((await user.call(closeTicket, { params, body: { status: 'CLOSED' } })).data.status).toBe('CLOSED');
    expect((await user.call(getTicket, { params })).data.status).toBe('CLOSED');
    await expect(write(params, 'One more thing')).rejects.toMatchObject(closed);
    await expect(support.call(answerTicket, { params, body: { content: 'Late' } })).rejects.toMatchObject(closed);
    await expect(user.call(closeTicket, { params, body: { status: 'CLOSED' } })).rejects.toMatchObject(closed);
    await expect(support.call(closeAnyTicket, { params, body: { status: 'CLOSED' } })).rejects.toMatchObject(closed);
  });

  test('is closed once by concurrent requests, and accepts no messages after that', async () => {
    const params = { id: (await open()).id };
    const close = { params, body: { status: 'CLOSED' as const } };
    const results = await Promise.allSettled([
      user.call(closeTicket, close),
      support.call(closeAnyTicket, close),
      ...Array.from({ length: 6 }, (_, n) => write(params, `message ${n}`)),
    ]);
    expect(results.slice(0, 2).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const written = results.slice(2).filter(({ status }) => status === 'fulfilled').length;
    expect((await user.call(listTicketMessages, { params, query: {} })).data).toHaveLength(written);
  });

  test('is not found by other users', async () => {
    const params = { id: (await open()).id };
    const other = await createUser(testApp);
    for (const call of [
      () => other.call(getTicket, { params }),
      () => other.call(closeTicket, { params, body: { status: 'CLOSED' } }),
      () => other.call(listTicketMessages, { params, query: {} }),
      () => other.call(sendTicketMessage, { params, body: { content: 'Let me in' } }),
      () => support.call(getAnyTicket, { params: { id: randomUUID() } }),
      () => support.call(answerTicket, { params: { id: randomUUID() }, body: { content: 'Anybody?' } }),
    ])
      await expect(call()).rejects.toMatchObject(missing);
    expect((await other.call(listTickets, { query: {} })).data).toEqual([]);
  });
});

describe('staff', () => {
  test('see all tickets or those of one user, with the user, newest first', async () => {
    const owner = await createUser(testApp);
    const tickets = [await open(owner), await open(owner), await open(owner)];
    const { data, totalPages } = await support.call(listAllTickets, { query: { userId: owner.id, size: 2 } });
    expect(data.map(({ id }) => id)).toEqual([tickets[2]!.id, tickets[1]!.id]);
    expect([data[0]!.user, totalPages]).toEqual([{ id: owner.id, email: owner.email, languageCode: 'en' }, 2]);
    expect((await support.call(listAllTickets, { query: {} })).data.length).toBeGreaterThan(3);
    expect((await owner.call(listTickets, { query: {} })).data[0]).not.toHaveProperty('user');
  });

  test('open a ticket for a user, who sees it like their own', async () => {
    const owner = await createUser(testApp);
    const { data } = await support.call(createTicketForUser, { body: { ...body, userId: owner.id } });
    expect(data.user.id).toBe(owner.id);
    expect((await owner.call(getTicket, { params: { id: data.id } })).data).toMatchObject(body);
    await expect(support.call(createTicketForUser, { body: { ...body, userId: randomUUID() } })).rejects.toMatchObject({
      status: 404,
      message: 'User not found',
    });
  });

  test('notify the user once when they open or close a ticket; users are not notified of their own actions', async () => {
    const owner = await createUser(testApp);
    const forHim = () =>
      support.call(createTicketForUser, { body: { ...body, userId: owner.id } }, keyed('one ticket'));
    const { id } = (await forHim()).data;
    await forHim();
    await support.call(closeAnyTicket, { params: { id }, body: { status: 'CLOSED' } });
    const own = await open(owner);
    await owner.call(closeTicket, { params: { id: own.id }, body: { status: 'CLOSED' } });
    const { data } = await owner.call(listNotifications, { query: {} });
    const link = `<a href="/support/tickets/${id}">${body.name}</a>`;
    expect(data.map(({ description }) => description)).toEqual([
      `The support team has closed your ticket ${link}.`,
      `The support team has opened a ticket for you: ${link}.`,
    ]);
  });

  test('require the permission of each call', async () => {
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    const params = { id: (await open()).id };
    for (const call of [
      () => finance.call(listAllTickets, { query: {} }),
      () => finance.call(createTicketForUser, { body: { ...body, userId: user.id } }),
      () => finance.call(getAnyTicket, { params }),
      () => finance.call(closeAnyTicket, { params, body: { status: 'CLOSED' } }),
      () => finance.call(listAnyTicketMessages, { params, query: {} }),
      () => finance.call(answerTicket, { params, body: { content: 'Money?' } }),
    ])
      await expect(call()).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });
});

describe('texts', () => {
  test.each([
    [{ ...body, name: 'Slow' }, 'body.name'],
    [{ ...body, name: 'x'.repeat(301) }, 'body.name'],
    [{ ...body, name: '      ' }, 'body.name'],
    [{ ...body, description: 'Help' }, 'body.description'],
    [{ ...body, description: 'x'.repeat(5001) }, 'body.description'],
    [{ name: body.name }, 'body.description'],
    [{ ...body, status: 'CLOSED' }, 'body.status'],
  ])('of a new ticket: %j is refused', async (wrong, path) => {
    await expect(user.call(createTicket, { body: wrong as typeof body })).rejects.toMatchObject({
      code: 'VALIDATION',
      body: { details: expect.arrayContaining([expect.objectContaining({ path })]) },
    });
  });

  test('of the largest and smallest size are stored unchanged', async () => {
    const largest = { name: 'n'.repeat(300), description: 'я'.repeat(5000) };
    const { id } = (await user.call(createTicket, { body: largest })).data;
    expect((await user.call(getTicket, { params: { id } })).data).toMatchObject(largest);
    const content = ' two\nlines ';
    expect((await write({ id }, content)).data.content).toBe(content);
    for (const wrong of ['', '   ', '\n', 'x'.repeat(5001)])
      await expect(write({ id }, wrong)).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(write({ id }, '  ')).rejects.toMatchObject({
      body: { details: [{ path: 'body.content', message: 'Field cannot contain only spaces' }] },
    });
    await expect(
      user.call(closeTicket, { params: { id }, body: { status: 'OPEN' as 'CLOSED' } }),
    ).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

describe('a double click', () => {
  test('opens one ticket, and the idempotency key cannot be reused', async () => {
    const owner = await createUser(testApp);
    const key = randomUUID();
    const opened = await Promise.all(Array.from({ length: 8 }, () => owner.call(createTicket, { body }, keyed(key))));
    expect(new Set(opened.map(({ data }) => data.id)).size).toBe(1);
    expect((await owner.call(listTickets, { query: {} })).data).toHaveLength(1);
    const reused = { status: 409, code: 'IDEMPOTENCY_KEY_REUSED' };
    await expect(owner.call(createTicket, { body: { ...body, name: 'Another' } }, keyed(key))).rejects.toMatchObject(
      reused,
    );
    // Keys are unique per author.
    expect((await user.call(createTicket, { body }, keyed(key))).data.id).not.toBe(opened[0]!.data.id);
    await expect(owner.call(createTicket, { body }, keyed('x'.repeat(201)))).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });

  test('sends one message, returns it even after the ticket was closed, and does not work for another ticket', async () => {
    const [params, other] = [{ id: (await open()).id }, { id: (await open()).id }];
    const key = randomUUID();
    const send = (to: { id: string }, content = 'Hello') =>
      user.call(sendTicketMessage, { params: to, body: { content } }, keyed(key));
    const sent = await Promise.all(Array.from({ length: 8 }, () => send(params)));
    expect(new Set(sent.map(({ data }) => data.id)).size).toBe(1);
    expect((await user.call(listTicketMessages, { params, query: {} })).data).toHaveLength(1);
    await expect(send(params, 'Other')).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    await expect(send(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    await user.call(closeTicket, { params, body: { status: 'CLOSED' } });
    expect((await send(params)).data.id).toBe(sent[0]!.data.id);
  });
});

describe('in an hour', () => {
  const refused = { status: 429, code: 'RATE_LIMITED' };

  test('the tickets and messages of one user are limited, also concurrently; staff and other users are not affected', async () => {
    const limited = await startTestApp({ ticketsPerHour: 2, ticketMessagesPerHour: 3 });
    const [owner, other] = [await createUser(limited), await createUser(limited)];
    const team = await createUser(limited, { roleName: 'SUPPORT' });
    const key = randomUUID();
    const first = (await owner.call(createTicket, { body }, keyed(key))).data;
    const opened = await Promise.allSettled(Array.from({ length: 4 }, () => open(owner)));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusal = await owner.call(createTicket, { body }).catch((error: unknown) => error as ApiError);
    expect(refusal).toMatchObject(refused);
    const { retryAfterSeconds } = refusal as ApiError;
    expect(retryAfterSeconds).toBeGreaterThan(3500);
    expect(retryAfterSeconds).toBeLessThanOrEqual(3600);
    expect((await owner.call(listTickets, { query: {} })).data).toHaveLength(2);
    expect((await owner.call(createTicket, { body }, keyed(key))).data.id).toBe(first.id);
    await open(other);
    await team.call(createTicketForUser, { body: { ...body, userId: owner.id } });

    const params = { id: first.id };
    const send = (content: string) => owner.call(sendTicketMessage, { params, body: { content } }, keyed(content));
    const sent = await Promise.allSettled(Array.from({ length: 6 }, (_, n) => send(`message ${n}`)));
    const accepted = sent.findIndex(({ status }) => status === 'fulfilled');
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    await expect(send('one more')).rejects.toMatchObject(refused);
    expect((await send(`message ${accepted}`)).data.content).toBe(`message ${accepted}`);
    for (let n = 0; n < 4; n++) await team.call(answerTicket, { params, body: { content: 'Please wait.' } });

    await limited.database.query(`update tickets set created_at = created_at - interval '61 minutes'`);
    await limited.database.query(`update ticket_messages set created_at = created_at - interval '61 minutes'`);
    await open(owner);
    await send('one more');
    await limited.stop();
  });
});
