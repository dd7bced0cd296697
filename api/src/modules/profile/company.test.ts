import { type Company, getCompany, saveCompany } from '@cellhop/contract/company';
import { deleteUser } from '@cellhop/contract/staff/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const company: Company = {
  name: 'Рога & Копыта GmbH',
  address: 'Hauptstraße 1\n10115 Berlin',
  taxId: 'DE 123.456/78-9',
};
const none: Company = { name: '', address: '', taxId: '' };
const read = async (user: TestUser) => (await user.call(getCompany, {})).data;
const save = (user: TestUser, body: Company) => user.call(saveCompany, { body });

test('is stored for one user, replaced, and removed', async () => {
  const [user, other] = await Promise.all([createUser(testApp), createUser(testApp)]);
  expect(await read(user)).toEqual(none);
  await save(user, { ...company, name: ` ${company.name} ` });
  expect(await read(user)).toEqual(company);
  expect(await read(other)).toEqual(none);
  await save(user, { ...company, taxId: '' });
  expect(await read(user)).toEqual({ ...company, taxId: '' });
  await save(user, none);
  expect(await read(user)).toEqual(none);
  expect(await testApp.database.query('select from companies where user_id = $1', [user.id])).toEqual([]);
  await expect(testApp.call(getCompany, {})).rejects.toMatchObject({ status: 401 });
});

test('is limited, and refuses control characters and other tax numbers', async () => {
  const user = await createUser(testApp);
  await save(user, { name: 'x'.repeat(200), address: 'x'.repeat(500), taxId: 'x'.repeat(40) });
  const refused: [Partial<Company>, string][] = [
    [{ name: 'x'.repeat(201) }, 'body.name'],
    [{ address: 'x'.repeat(501) }, 'body.address'],
    [{ taxId: 'x'.repeat(41) }, 'body.taxId'],
    [{ name: 'two\nlines' }, 'body.name'],
    [{ address: 'a\u0000b' }, 'body.address'],
    [{ taxId: '<b>1</b>' }, 'body.taxId'],
  ];
  for (const [wrong, path] of refused)
    await expect(save(user, { ...company, ...wrong })).rejects.toMatchObject({
      code: 'VALIDATION',
      body: { details: [{ path }] },
    });
});

test('is deleted with the account', async () => {
  const [user, admin] = await Promise.all([createUser(testApp), createUser(testApp, { roleName: 'ADMIN' })]);
  await save(user, company);
  await admin.call(deleteUser, { params: { id: user.id }, body: { reason: 'On request.' } });
  expect(await testApp.database.query('select from companies where user_id = $1', [user.id])).toEqual([]);
});
