import { connect, disconnect } from '@cellhop/contract/connections';
import { listNotifications } from '@cellhop/contract/notifications';
import {
  answerTicket,
  assignTicket,
  closeAnyTicket,
  countTicketViews,
  createTicketForUser,
  getAnyTicket,
  getTicketBalance,
  listAllTickets,
  listAnyTicketMessages,
  listAssignees,
  listTicketConnections,
  listTicketNotes,
  measureFirstReplies,
  writeTicketNote,
  type TicketView,
} from '@cellhop/contract/staff/tickets';
import { closeTicket, createTicket, getTicket, listTicketMessages, sendTicketMessage } from '@cellhop/contract/tickets';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { openStream } from '../../../test/live.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let support: TestUser;
let colleague: TestUser;
let finance: TestUser;
let owner: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  support = await createUser(testApp, { roleName: 'SUPPORT' });
  colleague = await createUser(testApp, { roleName: 'SUPPORT' });
  finance = await createUser(testApp, { roleName: 'FINANCE' });
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  owner = await createUser(testApp, { languageCode: 'ru' });
});

const texts = { name: 'It is slow', description: 'Since this morning everything is slow.' };
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const open = async (name = texts.name) => (await owner.call(createTicket, { body: { ...texts, name } })).data;
const ask = (id: string, content = 'Hello?') => owner.call(sendTicketMessage, { params: { id }, body: { content } });
const answer = (id: string, body: { content: string; lastSeenMessageId?: string | null }, by = support) =>
  by.call(answerTicket, { params: { id }, body });
const assign = (id: string, assigneeId: string | null, version?: number) =>
  support.call(assignTicket, { params: { id }, body: { assigneeId, ...(version !== undefined && { version }) } });
const getForStaff = async (id: string) => (await support.call(getAnyTicket, { params: { id } })).data;

/** The tickets of the owner in a view. */
async function listed(view: TicketView, by = support): Promise<string[]> {
  const { data } = await by.call(listAllTickets, { query: { view, userId: owner.id } });
  return data.map(({ name }) => name);
}

const found = async (query: object) =>
  (await support.call(listAllTickets, { query: { userId: owner.id, ...query } })).data.map(({ name }) => name);

const note = (id: string, content: string, headers = {}) =>
  support.call(writeTicketNote, { params: { id }, body: { content } }, { headers });

const create = (who: object) => support.call(createTicketForUser, { body: { ...texts, ...who } });

async function buy(customer: TestUser): Promise<string> {
  const id = await createProxy(testApp, { priceMicros: 800_000n });
  return (await customer.call(connect, { body: { id, price: 0.8 } })).data.id;
}

interface Entry {
  action: string;
  actorId: string;
  userId: string;
  details: Record<string, unknown>;
}

const entriesOf = (ticketId: string) =>
  testApp.database.query<Entry>(
    `select action, actor_id as "actorId", user_id as "userId", details from audit_log
      where subject_type = 'TICKET' and subject_id = $1 order by id`,
    [ticketId],
  );

describe('the views', () => {
  test('list open tickets, those of the caller, and those whose customer waits', { tags: ['thorough'] }, async () => {
    const [first, second, third] = [await open('first'), await open('second'), await open('third')];
    await answer(first.id, { content: 'Yes.' }, colleague);
    await assign(second.id, support.id);
    await owner.call(closeTicket, { params: { id: third.id }, body: { status: 'CLOSED' } });
    expect(await listed('all')).toEqual(['third', 'second', 'first']);
    expect(await listed('open')).toEqual(['second', 'first']);
    expect(await listed('oldest')).toEqual(['first', 'second']);
    expect(await listed('mine')).toEqual(['second']);
    expect(await listed('mine', colleague)).toEqual(['first']);
    expect(await listed('waiting')).toEqual(['second']);
    await ask(first.id, 'And now?');
    expect(await listed('waiting')).toEqual(['second', 'first']);
    await ask(second.id);
    expect(await listed('waiting')).toEqual(['second', 'first']);
  });

  test('count their tickets', async () => {
    const count = async () => (await support.call(countTicketViews, {})).data;
    const before = await count();
    const { id } = await open();
    await assign(id, support.id);
    const changes = (after: typeof before) =>
      [after.open, after.mine, after.waiting, after.oldest].map(
        (value, index) => value - [before.open, before.mine, before.waiting, before.oldest][index]!,
      );
    expect(changes(await count())).toEqual([1, 1, 1, 1]);
    await answer(id, { content: 'Yes.' });
    expect(changes(await count())).toEqual([1, 1, 0, 1]);
    await support.call(closeAnyTicket, { params: { id }, body: { status: 'CLOSED' } });
    expect(changes(await count())).toEqual([0, 0, 0, 0]);
  });

  test('do not show a ticket that staff opened as waiting for staff', async () => {
    const { data } = await support.call(createTicketForUser, { body: { ...texts, email: owner.email.toUpperCase() } });
    expect([data.user.id, data.waitingSince]).toEqual([owner.id, null]);
    const { data: message } = await ask(data.id);
    expect((await getForStaff(data.id)).waitingSince).toBe(message.createdAt);
  });
});

const search = (words: string, query: { view?: 'waiting' | 'oldest'; page?: number } = {}) =>
  support.call(listAllTickets, { query: { words, ...query } });

describe('filters', () => {
  test('find prefixes of words in the name, in any case and language', async () => {
    for (const name of ['Прокси НЕ работает', 'Proxy does not work', "It's 100% broken"]) await open(name);
    expect(await found({ words: 'не работ' })).toEqual(['Прокси НЕ работает']);
    expect(await found({ words: 'WORK prox' })).toEqual(['Proxy does not work']);
    expect(await found({ words: '100%' })).toEqual(["It's 100% broken"]);
    expect(await found({ words: "x' | it:*" })).toEqual([]);
    for (const words of ['%%', 'x', 'w'.repeat(101)])
      await expect(found({ words })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test('list the first thousand tickets with a word', async () => {
    await testApp.database.query(
      `insert into tickets (user_id, author_id, name, description)
       select $1, $1, 'Common ' || number, 'text' from generate_series(1, 1001) as number`,
      [owner.id],
    );
    for (const [page, length] of [
      [20, 50],
      [21, 0],
    ] as const) {
      const { data, totalPages } = await support.call(listAllTickets, { query: { words: 'common', page } });
      expect([data.length, totalPages]).toEqual([length, 20]);
    }
  });

  test('search the first tickets of a view, and all tickets if too few match', async () => {
    const older = await open('Ancient question');
    await testApp.database.query(
      `insert into tickets (user_id, author_id, name, description, created_at)
       select $1, $1, case when number % 20 = 0 then 'Usual' when number % 100 = 1 then 'Seldom' else 'Other' end || ' topic ' || number,
              'text', now() + number * interval '1 second'
         from generate_series(1, 6000) as number`,
      [owner.id],
    );
    // 250 among the newest 5,000.
    const usual = await search('usual', { page: 5 });
    expect(usual).toMatchObject({ totalPages: 5, isTruncated: true });
    expect(usual.data.at(-1)!.name).toBe('Usual topic 1020');
    expect((await search('usual', { page: 6 })).data).toEqual([]);
    const seldom = await search('seldom', { page: 2 });
    expect(seldom).toMatchObject({ totalPages: 2, isTruncated: false });
    expect(seldom.data.at(-1)!.name).toBe('Seldom topic 1');
    const rare = await search('ancient');
    expect(rare).toMatchObject({ data: [{ id: older.id }], totalPages: 1, isTruncated: false });
    for (const view of ['waiting', 'oldest'] as const) {
      const { data, isTruncated } = await search('usual', { view });
      expect([data[0]!.name, data.length, isTruncated]).toEqual(['Usual topic 20', 50, true]);
      expect((await search('usual seldom', { view })).data).toEqual([]);
    }
  });

  test('find a status and a time of creation', async () => {
    const [first, second] = [await open('first'), await open('second')];
    await support.call(closeAnyTicket, { params: { id: first.id }, body: { status: 'CLOSED' } });
    expect(await found({ status: 'CLOSED' })).toEqual(['first']);
    expect(await found({ from: second.createdAt })).toEqual(['second']);
    expect(await found({ to: second.createdAt })).toEqual(['first']);
  });
});

describe('an assignment', () => {
  test('is shown, recorded and taken back', async () => {
    const { id } = await open();
    const { data } = await assign(id, colleague.id, 0);
    expect([data.assignee, data.version]).toEqual([{ id: colleague.id, email: colleague.email }, 1]);
    // A repeat changes nothing, with an old version too.
    expect((await assign(id, colleague.id, 0)).data.version).toBe(1);
    expect((await assign(id, null, 1)).data.assignee).toBeNull();
    expect((await entriesOf(id)).map(({ action, details }) => [action, details])).toEqual([
      ['TICKET_ASSIGNED', { before: { assigneeId: null }, after: { assigneeId: colleague.id } }],
      ['TICKET_ASSIGNED', { before: { assigneeId: colleague.id }, after: { assigneeId: null } }],
    ]);
  });

  test('is refused if somebody else changed it, to users who cannot answer, and on closed tickets', async () => {
    const { id } = await open();
    await assign(id, colleague.id);
    await expect(assign(id, support.id, 0)).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
    for (const other of [owner.id, finance.id, randomUUID()])
      await expect(assign(id, other)).rejects.toMatchObject({ status: 404, message: 'Assignee not found' });
    await support.call(closeAnyTicket, { params: { id }, body: { status: 'CLOSED' } });
    await expect(assign(id, support.id)).rejects.toMatchObject({ code: 'TICKET_CLOSED' });
    expect((await getForStaff(id)).assignee?.id).toBe(colleague.id);
  });

  test('is offered to staff who can answer', async () => {
    const ids = (await support.call(listAssignees, {})).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([support.id, colleague.id]));
    expect(ids).not.toContain(owner.id);
    expect(ids).not.toContain(finance.id);
  });
});

describe('an answer', () => {
  test('is refused if other staff have answered in the meantime, and accepted once the author has seen their answer', async () => {
    const { id } = await open();
    const question = (await ask(id)).data;
    const body = { content: 'Yes.', lastSeenMessageId: question.id };
    const { data: theirs } = await answer(id, { ...body, content: 'No.' }, colleague);
    await expect(answer(id, body)).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
    await expect(answer(id, { ...body, lastSeenMessageId: null })).rejects.toMatchObject({ code: 'CHANGED_ELSEWHERE' });
    // Messages of the customer and of the author do not conflict.
    await ask(id, 'Really?');
    await answer(id, { ...body, lastSeenMessageId: theirs.id });
    await answer(id, { ...body, lastSeenMessageId: theirs.id });
    const { data } = await support.call(listAnyTicketMessages, { params: { id }, query: {} });
    expect(data.map(({ author }) => author.email)).toEqual(
      [support, support, owner, colleague, owner].map(({ email }) => email),
    );
  });

  test('assigns an unassigned ticket to its author, and no other', async () => {
    const { id } = await open();
    await answer(id, { content: 'Yes.' });
    expect(await getForStaff(id)).toMatchObject({ assignee: { id: support.id }, version: 1 });
    await answer(id, { content: 'Also.' }, colleague);
    expect(await getForStaff(id)).toMatchObject({ assignee: { id: support.id }, version: 1 });
    const changes = (await entriesOf(id)).filter(({ action }) => action === 'TICKET_ASSIGNED');
    expect(changes).toMatchObject([
      { actorId: support.id, details: { before: { assigneeId: null }, after: { assigneeId: support.id } } },
    ]);
  });

  test('is accepted from only one of two concurrent authors', async () => {
    const { id } = await open();
    const both = await Promise.allSettled(
      [support, colleague].map((by) => answer(id, { content: 'Yes.', lastSeenMessageId: null }, by)),
    );
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('is recorded without its text, once', async () => {
    const { id } = await open();
    const send = () =>
      support.call(answerTicket, { params: { id }, body: { content: 'A secret' } }, keyed(`answer ${id}`));
    await send();
    await send();
    const entries = await entriesOf(id);
    expect(entries.map(({ action, actorId, userId }) => [action, actorId, userId])).toEqual([
      ['TICKET_ANSWERED', support.id, owner.id],
      ['TICKET_ASSIGNED', support.id, owner.id],
    ]);
    expect(JSON.stringify(entries)).not.toContain('A secret');
  });
});

describe('an internal note', () => {
  test('is for staff only: customers get no message, event or notification of it', async () => {
    const { id } = await open();
    const [own, staff] = [await openStream(testApp.url, owner), await openStream(testApp.url, colleague)];
    // All earlier events have arrived with this one.
    testApp.ctx.changed({ userId: owner.id }, 'balance');
    await own.saw('changed balance');
    const earlier = own.events.length;
    await note(id, 'Do not trust this customer');
    await staff.saw('changed staff-tickets');
    testApp.ctx.changed({ userId: owner.id }, 'invoices');
    await own.saw('changed invoices');
    expect(own.events.slice(earlier)).toEqual(['changed invoices']);
    for (const stream of [own, staff]) stream.close();
    const responses = [
      await owner.call(getTicket, { params: { id } }),
      await owner.call(listTicketMessages, { params: { id }, query: {} }),
      await owner.call(listNotifications, { query: {} }),
    ];
    expect(JSON.stringify(responses)).not.toMatch(/trust|assignee|author/);
    await expect(owner.call(listTicketNotes, { params: { id }, query: {} })).rejects.toMatchObject({ status: 403 });
    const jobs = await testApp.database.query('select from graphile_worker._private_jobs where payload::text like $1', [
      '%trust%',
    ]);
    expect(jobs).toEqual([]);
    expect((await getForStaff(id)).waitingSince).not.toBeNull();
  });

  test('is listed with its author, also on closed tickets, and recorded without its text', async () => {
    const { id } = await open();
    await support.call(closeAnyTicket, { params: { id }, body: { status: 'CLOSED' } });
    const key = { 'idempotency-key': `note ${id}` };
    await note(id, 'Called them', key);
    await note(id, 'Called them', key);
    await expect(note(id, 'Other', key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const { data } = await colleague.call(listTicketNotes, { params: { id }, query: {} });
    expect(data.map(({ content, author }) => [content, author.email])).toEqual([['Called them', support.email]]);
    const entries = await entriesOf(id);
    expect(entries.map(({ action }) => action)).toEqual(['TICKET_CLOSED', 'NOTE_WRITTEN']);
    expect(JSON.stringify(entries)).not.toContain('Called');
  });

  test('is refused beyond the limit of a ticket', async () => {
    const { id } = await open();
    await testApp.database.query(
      `insert into ticket_notes (ticket_id, author_id, content) select $1, $2, 'x' from generate_series(1, 499)`,
      [id, support.id],
    );
    await note(id, 'The last one');
    await expect(note(id, 'One more')).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

test('changes by staff are recorded with the ticket and its user', async () => {
  const { data } = await support.call(createTicketForUser, { body: { ...texts, userId: owner.id } });
  await support.call(closeAnyTicket, { params: { id: data.id }, body: { status: 'CLOSED' } });
  expect(await entriesOf(data.id)).toMatchObject([
    { action: 'TICKET_CREATED', actorId: support.id, userId: owner.id, details: { name: texts.name } },
    { action: 'TICKET_CLOSED', details: { before: { status: 'OPEN' }, after: { status: 'CLOSED' } } },
  ]);
});

test('a ticket is opened for either an id or an email that exists', async () => {
  for (const who of [{}, { userId: owner.id, email: owner.email }])
    await expect(create(who)).rejects.toMatchObject({ code: 'VALIDATION' });
  await expect(create({ email: 'nobody@example.com' })).rejects.toMatchObject({
    status: 404,
    message: 'User not found',
  });
});

test('the median time to the first reply counts tickets that customers opened', async () => {
  const before = Date.now();
  const tickets = [await open(), await open(), await open(), await open()];
  for (const [index, { id }] of tickets.slice(0, 3).entries()) {
    await answer(id, { content: 'Yes.' });
    await answer(id, { content: 'Also.' });
    await testApp.database.query(
      `update ticket_desk set first_reply_at = created_at + $2 * interval '1 minute' where ticket_id = $1`,
      [id, index + 1],
    );
  }
  const { data: byStaff } = await support.call(createTicketForUser, { body: { ...texts, userId: owner.id } });
  await answer(byStaff.id, { content: 'Hello.' });
  const query = { from: new Date(before).toISOString(), to: new Date(Date.now() + 1000).toISOString() };
  expect((await support.call(measureFirstReplies, { query })).data).toEqual({ medianSeconds: 120, ticketCount: 3 });
  const empty = { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z' };
  expect((await support.call(measureFirstReplies, { query: empty })).data).toEqual({
    medianSeconds: null,
    ticketCount: 0,
  });
});

test('balance and live connections of the customer need the permissions to read users and connections', async () => {
  const rich = await createUser(testApp, { balanceMicros: 1_500_000n });
  const params = { id: (await rich.call(createTicket, { body: texts })).data.id };
  const [ended, live] = [await buy(rich), await buy(rich)];
  await rich.call(disconnect, { params: { id: ended } });
  expect((await support.call(listTicketConnections, { params })).data.map(({ id }) => id)).toEqual([live]);
  expect((await support.call(getTicketBalance, { params })).data).toEqual({ balance: 1.1 });
  await testApp.database.query(`insert into roles (name, permissions) values ('READER', '{TICKETS_READ}')`);
  const reader = await createUser(testApp, { roleName: 'READER' });
  expect((await reader.call(getAnyTicket, { params })).data.id).toBe(params.id);
  for (const endpoint of [getTicketBalance, listTicketConnections])
    await expect(reader.call(endpoint, { params })).rejects.toMatchObject({ status: 403 });
});
