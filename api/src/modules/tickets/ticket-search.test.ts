/**
 * Compares the search by words with a simple one that reads all tickets, without indexes, copies of words and views.
 * @module-tag thorough
 */
import { listAllTickets, type TicketView } from '@cellhop/contract/staff/tickets';
import { ticketViews } from '@cellhop/contract/staff/lists.values';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

const TICKETS = 6000;
/** Words that are common, rare, parts of others, never together, not Latin, or that PostgreSQL splits or keeps whole in its own way. */
const NAMES = `(array['Refund of Berlin', 'Slow proxy', 'slower slowly', 'Не работает прокси', 'It''s 100% \\broken', 'back\\slash''quote',
  'a.b@example.com', 'https://example.com/slow/path', 'e-mail co-operate', '3.14 1e5 -7', 'Zürich STRASSE ß'])[1 + (number * 7 + number / 11) % 11]`;
const SEARCHES = [
  'refund',
  'refund slow',
  'refund xyzzy',
  'broken refund',
  'slow',
  'slowl',
  'rare rar',
  'case12 berlin',
  'case1',
  'ca',
  'прокс не',
  'it s',
  '100',
  'back',
  'quote',
  'example',
  'com',
  'path',
  'mail',
  'operate',
  '1e5',
  '3 14',
  'straß',
  'zü',
];

let testApp: TestApp;
let support: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  support = await createUser(testApp, { roleName: 'SUPPORT' });
  const owner = await createUser(testApp);
  await testApp.database.query(
    `insert into tickets (user_id, author_id, name, description, status, created_at, closed_at)
     select $1::uuid, case when number % 3 = 0 then $2::uuid else $1 end,
            case when number % 1000 = 5 then 'Rare ' else '' end || ${NAMES} || ' case' || number % 500, 'text',
            case when number % 4 = 0 then 'CLOSED' else 'OPEN' end, now() - number * interval '1 minute',
            case when number % 4 = 0 then now() end
       from generate_series(1, $3::int) as number`,
    [owner.id, support.id, TICKETS],
  );
  await testApp.database.query(
    'update ticket_desk set assignee_id = $1 where ticket_id in (select id from tickets limit 900)',
    [support.id],
  );
  await testApp.database.query('analyze ticket_desk');
});
afterAll(() => testApp.stop());

const oracles: Record<TicketView, { condition: string; order: string }> = {
  all: { condition: 'true', order: 'created_at desc' },
  open: { condition: `status = 'OPEN'`, order: 'created_at desc' },
  mine: { condition: `status = 'OPEN' and assignee_id = $2`, order: 'created_at desc' },
  // No ticket has an answer: those that their customer has opened wait.
  waiting: { condition: `status = 'OPEN' and author_id = user_id`, order: 'created_at' },
  oldest: { condition: `status = 'OPEN'`, order: 'created_at' },
};

/** @returns the ids of all matches in the order of the view */
async function searchPlainly(words: string, view: TicketView): Promise<string[]> {
  const beginnings = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const { condition, order } = oracles[view];
  const rows = await testApp.database.query<{ id: string }>(
    `select id from (
       select tickets.*, assignee_id, to_tsvector('simple', lower(name)) as words from tickets join ticket_desk on ticket_id = id offset 0
     ) as every
      where words @@ to_tsquery('simple', $1) and $2::uuid is not null and ${condition} order by ${order}`,
    [beginnings.map((word) => `'${word}':*`).join(' & '), support.id],
  );
  return rows.map(({ id }) => id);
}

describe.each(ticketViews)('the search of the view %s', (view) => {
  test.each(SEARCHES)('finds the tickets with %s', async (words) => {
    const expected = await searchPlainly(words, view);
    const { data, totalPages, isTruncated } = await support.call(listAllTickets, { query: { words, view, size: 100 } });
    expect(data.map(({ id }) => id)).toEqual(expected.slice(0, 100));
    // An incomplete result is allowed only if there are many matches.
    const isEverything = Math.ceil(expected.length / 100) === totalPages;
    expect([isTruncated, isTruncated && data.length < 100]).toEqual([!isEverything, false]);
  });
});

test('finds a word that was added to the name later', async () => {
  const [{ id }] = (await testApp.database.query<{ id: string }>(
    `update tickets set name = 'Renamed otherwise', status = status where id = (select id from tickets limit 1) returning id`,
  )) as [{ id: string }];
  const { data } = await support.call(listAllTickets, { query: { words: 'otherw', view: 'all' } });
  expect(data.map((ticket) => ticket.id)).toEqual([id]);
});
