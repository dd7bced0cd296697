import { listFaq } from '@cellhop/contract/faq';
import { FAQ_ENTRIES_MAX } from '@cellhop/contract/limits';
import {
  changeFaqEntry,
  createFaqEntry,
  deleteFaqEntry,
  type FaqTexts,
  listFaqEntries,
  moveFaqEntry,
} from '@cellhop/contract/staff/faq';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());
beforeEach(() => testApp.database.query('delete from faqs'));

const response = 'Because it is so.';
const textsOf = (en: string | null, ru: string | null): FaqTexts => ({
  en: en === null ? null : { question: en, response },
  ru: ru === null ? null : { question: ru, response },
});
const create = async (en: string | null, ru: string | null, headers: Record<string, string> = {}) =>
  (await admin.call(createFaqEntry, { body: { texts: textsOf(en, ru) } }, { headers })).data;
const questions = async (user: TestUser, languageCode?: 'en' | 'ru') =>
  (await user.call(listFaq, { query: { languageCode } })).data.map(({ question }) => question);
const listed = async () =>
  (await admin.call(listFaqEntries, {})).data.map(({ texts }) => [texts.en?.question, texts.ru?.question]);
const stale = { status: 409, code: 'CHANGED_ELSEWHERE' };

describe('an entry', () => {
  test('is listed for customers in their language, and for staff in both', async () => {
    await create('First question?', 'Первый вопрос?');
    await create('Only in English?', null);
    await create('Third question?', 'Третий вопрос?');
    const russian = await createUser(testApp, { languageCode: 'ru' });
    expect(await questions(russian)).toEqual(['Первый вопрос?', 'Третий вопрос?']);
    expect(await questions(russian, 'en')).toEqual(['First question?', 'Only in English?', 'Third question?']);
    expect(await listed()).toEqual([
      ['First question?', 'Первый вопрос?'],
      ['Only in English?', undefined],
      ['Third question?', 'Третий вопрос?'],
    ]);
  });

  test('is changed in both languages together; a change can add or remove a language', async () => {
    const { id, version } = await create('Only in English?', null);
    const texts = textsOf('In both languages?', 'На двух языках?');
    const { data } = await admin.call(changeFaqEntry, { params: { id }, body: { texts, version } });
    expect(data).toMatchObject({ id, texts, version: version + 1 });
    expect(data.updatedAt > data.createdAt).toBe(true);
    expect([await questions(admin, 'en'), await questions(admin, 'ru')]).toEqual([
      ['In both languages?'],
      ['На двух языках?'],
    ]);
    const russianOnly = textsOf(null, 'Только по-русски?');
    await admin.call(changeFaqEntry, { params: { id }, body: { texts: russianOnly } });
    expect(await listed()).toEqual([[undefined, 'Только по-русски?']]);
    expect(await entriesOf(testApp, id)).toMatchObject([
      { action: 'FAQ_CREATED', actorId: admin.id, details: { after: { enQuestion: 'Only in English?' } } },
      {
        action: 'FAQ_CHANGED',
        details: {
          before: { enQuestion: 'Only in English?', ruQuestion: null, ruResponse: null },
          after: { enQuestion: 'In both languages?', ruQuestion: 'На двух языках?', ruResponse: response },
        },
      },
      {
        action: 'FAQ_CHANGED',
        details: { after: { enQuestion: null, enResponse: null, ruQuestion: 'Только по-русски?' } },
      },
    ]);
  });

  test('is not recorded as changed when nothing differs', async () => {
    const { id, texts, version } = await create('The same question?', null);
    const { data } = await admin.call(changeFaqEntry, { params: { id }, body: { texts } });
    expect(data.version).toBe(version);
    expect(await entriesOf(testApp, id)).toHaveLength(1);
  });

  test('moves up and down in both languages, and stays at the ends', async () => {
    await create('First question?', 'Первый вопрос?');
    await create('Second question?', 'Второй вопрос?');
    const third = await create('Third question?', 'Третий вопрос?');
    const move = async (direction: 'UP' | 'DOWN') =>
      (await admin.call(moveFaqEntry, { params: { id: third.id }, body: { direction } })).data.map(({ id }) => id);
    expect((await move('DOWN')).indexOf(third.id)).toBe(2);
    expect((await move('UP')).indexOf(third.id)).toBe(1);
    expect(await questions(admin, 'ru')).toEqual(['Первый вопрос?', 'Третий вопрос?', 'Второй вопрос?']);
    expect((await move('UP')).indexOf(third.id)).toBe(0);
    expect((await move('UP')).indexOf(third.id)).toBe(0);
    expect(await questions(admin, 'en')).toEqual(['Third question?', 'First question?', 'Second question?']);
    expect((await entriesOf(testApp, third.id)).slice(1)).toMatchObject([
      { action: 'FAQ_MOVED', details: { before: { place: 3 }, after: { place: 2 } } },
      { action: 'FAQ_MOVED', details: { before: { place: 2 }, after: { place: 1 } } },
    ]);
  });

  test('is deleted in all languages, with its texts in the audit log', async () => {
    const { id, version } = await create('Gone question?', 'Лишний вопрос?');
    await admin.call(deleteFaqEntry, { params: { id }, query: { version } });
    expect([await questions(admin, 'en'), await questions(admin, 'ru')]).toEqual([[], []]);
    expect((await entriesOf(testApp, id)).at(-1)).toMatchObject({
      action: 'FAQ_DELETED',
      details: { before: { enQuestion: 'Gone question?', ruResponse: response } },
    });
  });

  test('is not changed, moved or deleted by someone who has not seen the last change', async () => {
    const { id, version } = await create('First question?', null);
    await create('Second question?', null);
    const params = { id };
    await admin.call(moveFaqEntry, { params, body: { direction: 'DOWN', version } });
    const texts = textsOf('Overwritten question?', null);
    await expect(admin.call(changeFaqEntry, { params, body: { texts, version } })).rejects.toMatchObject(stale);
    await expect(admin.call(moveFaqEntry, { params, body: { direction: 'UP', version } })).rejects.toMatchObject(stale);
    await expect(admin.call(deleteFaqEntry, { params, query: { version } })).rejects.toMatchObject(stale);
    expect(await questions(admin, 'en')).toEqual(['Second question?', 'First question?']);
  });

  test('is created once for its idempotency key, which cannot be reused', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const made = await Promise.all([create('Once only?', null, key), create('Once only?', null, key)]);
    expect(made[0].id).toBe(made[1].id);
    expect(await listed()).toHaveLength(1);
    await expect(create('Another question?', null, key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });
});

test('there is a maximum of entries', async () => {
  await testApp.database.query(
    `insert into faqs (entry_id, language_code, question, response, position)
     select gen_random_uuid(), 'en', 'Question ' || number, $2, number from generate_series(1, $1) as number`,
    [FAQ_ENTRIES_MAX, response],
  );
  await expect(create('One too many?', null)).rejects.toMatchObject({ code: 'VALIDATION' });
});

test('refuses invalid texts and unknown entries', async () => {
  const good = { question: 'A good question?', response };
  for (const texts of [
    { en: { ...good, question: 'Hm?' }, ru: null },
    { en: { ...good, question: '          ' }, ru: null },
    { en: good, ru: { ...good, response: 'x'.repeat(5001) } },
    { en: good, ru: null, de: good },
    { en: good },
    { en: null, ru: null },
  ])
    await expect(admin.call(createFaqEntry, { body: { texts: texts as FaqTexts } })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  const gone = { status: 404, code: 'NOT_FOUND', message: 'FAQ item not found' };
  const params = { id: randomUUID() };
  const texts = { en: good, ru: null };
  await expect(admin.call(changeFaqEntry, { params, body: { texts } })).rejects.toMatchObject(gone);
  await expect(admin.call(moveFaqEntry, { params, body: { direction: 'UP' } })).rejects.toMatchObject(gone);
  await expect(admin.call(deleteFaqEntry, { params, query: {} })).rejects.toMatchObject(gone);
});

test('each change requires its permission: support staff can only read', async () => {
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  const { id, texts } = await create('Who may change me?', null);
  const params = { id };
  expect((await support.call(listFaqEntries, {})).data).toHaveLength(1);
  const refused = { status: 403, code: 'FORBIDDEN' };
  await expect(support.call(createFaqEntry, { body: { texts } })).rejects.toMatchObject(refused);
  await expect(support.call(changeFaqEntry, { params, body: { texts } })).rejects.toMatchObject(refused);
  await expect(support.call(moveFaqEntry, { params, body: { direction: 'UP' } })).rejects.toMatchObject(refused);
  await expect(support.call(deleteFaqEntry, { params, query: {} })).rejects.toMatchObject(refused);
});
