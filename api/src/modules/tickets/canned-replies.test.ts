import {
  changeCannedReply,
  createCannedReply,
  deleteCannedReply,
  listCannedReplies,
} from '@cellhop/contract/staff/canned-replies';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let support: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  support = await createUser(testApp, { roleName: 'SUPPORT' });
});
afterAll(() => testApp.stop());

const body = { title: 'Greeting', contentEn: 'Hello!', contentRu: 'Здравствуйте!' };
const create = (change: Partial<typeof body> = {}, key = randomUUID()) =>
  support.call(createCannedReply, { body: { ...body, ...change } }, { headers: { 'idempotency-key': key } });
const list = async () => (await support.call(listCannedReplies, {})).data;

test('a canned reply is added once, changed and deleted, and each change is recorded', async () => {
  const key = randomUUID();
  const { data } = await create({}, key);
  expect((await create({}, key)).data.id).toBe(data.id);
  await expect(create({ title: 'Other' }, key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  const params = { id: data.id };
  const change = { ...body, contentEn: 'Hi!', version: 0 };
  expect((await support.call(changeCannedReply, { params, body: change })).data).toMatchObject({
    contentEn: 'Hi!',
    version: 1,
  });
  await expect(support.call(changeCannedReply, { params, body: change })).rejects.toMatchObject({
    status: 409,
    code: 'CHANGED_ELSEWHERE',
  });
  expect(await list()).toMatchObject([{ title: 'Greeting', contentEn: 'Hi!', contentRu: 'Здравствуйте!' }]);
  await expect(support.call(deleteCannedReply, { params, query: { version: 0 } })).rejects.toMatchObject({
    status: 409,
    code: 'CHANGED_ELSEWHERE',
  });
  await support.call(deleteCannedReply, { params, query: { version: 1 } });
  expect(await list()).toEqual([]);
  for (const call of [
    () => support.call(deleteCannedReply, { params, query: {} }),
    () => support.call(changeCannedReply, { params, body }),
  ])
    await expect(call()).rejects.toMatchObject({ status: 404, message: 'Canned reply not found' });
  const entries = await testApp.database.query<{ action: string; details: object }>(
    `select action, details from audit_log where subject_type = 'TICKET' order by id`,
  );
  const reply = { cannedReplyId: data.id, title: 'Greeting' };
  expect(entries).toEqual([
    { action: 'CANNED_REPLY_CREATED', details: reply },
    {
      action: 'CANNED_REPLY_CHANGED',
      details: { ...reply, before: { contentEn: 'Hello!' }, after: { contentEn: 'Hi!' } },
    },
    { action: 'CANNED_REPLY_DELETED', details: reply },
  ]);
});

test('there are at most 200, also if two are added at once', async () => {
  await testApp.database.query(
    `insert into canned_replies (title, content_en, content_ru, author_id)
     select 'Reply ' || number, 'x', 'x', $1 from generate_series(1, 199) as number`,
    [support.id],
  );
  const both = await Promise.allSettled([create(), create()]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(create()).rejects.toMatchObject({ code: 'VALIDATION' });
  expect(await list()).toHaveLength(200);
});

test('both languages are required', async () => {
  for (const change of [{ contentRu: ' ' }, { contentEn: '' }, { title: 'x' }])
    await expect(create(change)).rejects.toMatchObject({ code: 'VALIDATION' });
});
