import { createFaq, deleteFaq, listAllFaqs, listFaqs, updateFaq } from '@cellhop/contract/faqs';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const questions = async (user: TestUser, languageCode?: 'en' | 'ru') =>
  (await user.call(listFaqs, { query: { languageCode } })).data.map(({ question }) => question);
const create = async (body: { languageCode: 'en' | 'ru'; question: string; position?: number }) =>
  (await admin.call(createFaq, { body: { response: 'Because it is so.', ...body } })).data;

test('returns an ordered list per language; default is the language of the user', async () => {
  const [one, two] = [
    await create({ languageCode: 'en', question: 'First?' }),
    await create({ languageCode: 'en', question: 'Second?' }),
  ];
  expect([one.position, two.position]).toEqual([0, 1]);
  await create({ languageCode: 'ru', question: 'Первый?' });
  await create({ languageCode: 'en', question: 'Before all?', position: 0 });
  const russian = await createUser(testApp, { languageCode: 'ru' });
  expect(await questions(russian)).toEqual(['Первый?']);
  expect(await questions(russian, 'en')).toEqual(['First?', 'Before all?', 'Second?']);

  const changed = (await admin.call(updateFaq, { params: { id: two.id }, body: { position: 0, question: 'And now?' } }))
    .data;
  expect(changed).toMatchObject({
    id: two.id,
    question: 'And now?',
    response: 'Because it is so.',
    languageCode: 'en',
  });
  expect(changed.updatedAt > changed.createdAt).toBe(true);
  expect(await questions(russian, 'en')).toEqual(['First?', 'And now?', 'Before all?']);

  await admin.call(deleteFaq, { params: { id: one.id } });
  expect(await questions(admin)).toEqual(['And now?', 'Before all?']);
  const page = await admin.call(listAllFaqs, { query: { size: 2 } });
  expect([page.data.length, page.totalPages]).toEqual([2, 2]);
  expect((await admin.call(listAllFaqs, { query: { languageCode: 'ru' } })).data).toHaveLength(1);
});

test('refuses invalid texts and unknown items', async () => {
  for (const body of [
    { languageCode: 'en', question: 'Hm?', response: 'Because it is so.' },
    { languageCode: 'en', question: '          ', response: 'Because it is so.' },
    { languageCode: 'en', question: 'A good question?', response: 'x'.repeat(5001) },
    { languageCode: 'de', question: 'Eine gute Frage?', response: 'Because it is so.' },
    { languageCode: 'en', question: 'A good question?', response: 'Because it is so.', position: -1 },
  ])
    await expect(admin.call(createFaq, { body: body as never })).rejects.toMatchObject({ code: 'VALIDATION' });
  const gone = { status: 404, code: 'NOT_FOUND', message: 'FAQ item not found' };
  const params = { id: randomUUID() };
  await expect(admin.call(updateFaq, { params, body: { position: 1 } })).rejects.toMatchObject(gone);
  await expect(admin.call(deleteFaq, { params })).rejects.toMatchObject(gone);
});

test('each change requires its permission: support staff can only read', async () => {
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  const { id } = await create({ languageCode: 'en', question: 'Who may change me?' });
  expect((await support.call(listAllFaqs, { query: {} })).data.length).toBeGreaterThan(0);
  const refused = { status: 403, code: 'FORBIDDEN' };
  await expect(
    support.call(createFaq, { body: { languageCode: 'en', question: 'May I?', response: 'You may not.' } }),
  ).rejects.toMatchObject(refused);
  await expect(support.call(updateFaq, { params: { id }, body: { position: 3 } })).rejects.toMatchObject(refused);
  await expect(support.call(deleteFaq, { params: { id } })).rejects.toMatchObject(refused);
});
