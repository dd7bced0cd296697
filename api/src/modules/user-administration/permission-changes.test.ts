import { changeUserRole, changeUserStatus, deleteUser } from '@cellhop/contract/staff/users';
import { changeRole, createRole, deleteRole, listRoles } from '@cellhop/contract/staff/roles';
import { ROLE_USERS_COUNTED_MAX, ROLES_MAX } from '@cellhop/contract/limits';
import { permissions, type Permission } from '@cellhop/contract/permissions';
import { getProfile } from '@cellhop/contract/users';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { requireAdministrator } from './permission-rules.ts';
import { seedRoles } from '../../seed/roles.ts';

const reason = 'a change of duties';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const newName = () => `ROLE_${randomBytes(4).toString('hex').toUpperCase()}`;
/** Creates a role and a member of staff who has it. */
async function createStaff(...permissions: Permission[]): Promise<{ name: string; staff: TestUser }> {
  const name = newName();
  await admin.call(createRole, { body: { name, permissions } });
  return { name, staff: await createUser(testApp, { roleName: name }) };
}
const give = (actor: TestUser, user: TestUser, role: string, version?: number) =>
  actor.call(changeUserRole, { params: { id: user.id }, body: { role, reason, version } });
const block = (actor: TestUser, user: TestUser) =>
  actor.call(changeUserStatus, { params: { id: user.id }, body: { status: 'BLOCKED', reason } });
const set = (actor: TestUser, name: string, permissions: Permission[], version?: number) =>
  actor.call(changeRole, { params: { name }, body: { permissions, reason, version } });
const roleNamed = async (name: string) => (await admin.call(listRoles, {})).data.find((role) => role.name === name);
const lastEntry = async (condition: string, value: string) =>
  (
    await testApp.database.query<Record<string, unknown>>(
      `select action, actor_id as "actorId", subject_type as "subjectType", details from audit_log
        where ${condition} order by id desc limit 1`,
      [value],
    )
  )[0];

describe("a user's role", () => {
  test('is changed with a reason, takes effect at once, and is in the audit log', async () => {
    const user = await createUser(testApp);
    const { data } = await give(admin, user, 'SUPPORT', 0);
    expect(data).toMatchObject({ id: user.id, role: { name: 'SUPPORT' }, version: 1 });
    expect((await user.call(getProfile, {})).data.role.name).toBe('SUPPORT');
    expect((await entriesOf(testApp, user.id)).at(-1)).toMatchObject({
      action: 'USER_ROLE_CHANGED',
      actorId: admin.id,
      details: { reason, before: { role: 'USER' }, after: { role: 'SUPPORT' } },
    });
    await expect(give(admin, user, 'FINANCE', 0)).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
  });

  test('is never changed by the users themselves', async () => {
    await expect(give(admin, admin, 'USER')).rejects.toMatchObject({ status: 403, code: 'OWN_ROLE' });
  });

  test('is changed neither to one with permissions that the member of staff lacks, nor from one', async () => {
    const { name, staff } = await createStaff('USERS_READ', 'USERS_EDIT');
    const [customer, boss] = [await createUser(testApp), await createUser(testApp, { roleName: 'ADMIN' })];
    const refusal = { status: 403, code: 'PERMISSION_LACKING' };
    await expect(give(staff, customer, 'ADMIN')).rejects.toMatchObject(refusal);
    await expect(give(staff, customer, 'SUPPORT')).rejects.toMatchObject({
      message: 'You do not have the permission CONNECTIONS_READ',
    });
    await expect(give(staff, boss, 'USER')).rejects.toMatchObject(refusal);
    await expect(block(staff, boss)).rejects.toMatchObject(refusal);
    await expect(staff.call(deleteUser, { params: { id: boss.id }, body: { reason } })).rejects.toMatchObject(refusal);
    expect((await give(staff, customer, name)).data.role.name).toBe(name);
  });

  test('requires USERS_EDIT, an existing user and role, and a reason', async () => {
    const [support, user] = [await createUser(testApp, { roleName: 'SUPPORT' }), await createUser(testApp)];
    await expect(give(support, user, 'USER')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(give(admin, user, 'NOBODY')).rejects.toMatchObject({ status: 404, message: 'Role not found' });
    await expect(give(admin, user, 'no role')).rejects.toMatchObject({ code: 'VALIDATION' });
    const body = { role: 'SUPPORT', reason: 'no' };
    await expect(admin.call(changeUserRole, { params: { id: user.id }, body })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
    await expect(
      admin.call(changeUserRole, { params: { id: randomUUID() }, body: { role: 'SUPPORT', reason } }),
    ).rejects.toMatchObject({ status: 404, message: 'User not found' });
  });
});

describe('a role', () => {
  test('is created, changed and deleted, each of them in the audit log', async () => {
    const name = newName();
    const body = { name, permissions: ['FAQ_READ' as const] };
    expect((await admin.call(createRole, { body })).data).toEqual({
      name,
      permissions: ['FAQ_READ'],
      isFixed: false,
      usersCount: 0,
      version: 0,
    });
    await expect(admin.call(createRole, { body })).rejects.toMatchObject({ status: 409, code: 'ROLE_EXISTS' });
    expect((await set(admin, name, ['FAQ_READ', 'FAQ_EDIT'], 0)).data).toMatchObject({ version: 1 });
    await expect(set(admin, name, [], 0)).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
    const change = { before: { permissions: ['FAQ_READ'] }, after: { permissions: ['FAQ_READ', 'FAQ_EDIT'] } };
    expect(await lastEntry(`details->>'role' = $1`, name)).toEqual({
      action: 'ROLE_CHANGED',
      actorId: admin.id,
      subjectType: 'ROLE',
      details: { role: name, reason, ...change },
    });
    await expect(admin.call(deleteRole, { params: { name }, query: { version: 0 } })).rejects.toMatchObject({
      status: 409,
      code: 'CHANGED_ELSEWHERE',
    });
    await admin.call(deleteRole, { params: { name }, query: { version: 1 } });
    expect(await roleNamed(name)).toBeUndefined();
    expect(await lastEntry(`details->>'role' = $1`, name)).toMatchObject({
      action: 'ROLE_DELETED',
      details: { before: change.after },
    });
  });

  test('shows how many users have it, and cannot be deleted while somebody has it', async () => {
    const { name, staff } = await createStaff('FAQ_READ');
    expect(await roleNamed(name)).toMatchObject({ usersCount: 1 });
    await expect(admin.call(deleteRole, { params: { name }, query: {} })).rejects.toMatchObject({
      code: 'ROLE_IN_USE',
    });
    await give(admin, staff, 'USER');
    await admin.call(deleteRole, { params: { name }, query: {} });
  });

  test('counts its users up to a limit', async () => {
    await testApp.database.query(
      `with account as (insert into accounts (kind) select 'USER' from generate_series(1, $1::int) returning id)
       insert into users (email, password_hash, language_code, referral_code, account_id)
       select id || '@example.net', 'x', 'en', 'COUNTED' || id, id from account`,
      [ROLE_USERS_COUNTED_MAX],
    );
    expect(await roleNamed('USER')).toMatchObject({ usersCount: ROLE_USERS_COUNTED_MAX, isFixed: true });
  });

  test('USER and ADMIN stay as they are', async () => {
    for (const name of ['USER', 'ADMIN']) {
      await expect(set(admin, name, ['FAQ_READ'])).rejects.toMatchObject({ status: 409, code: 'ROLE_FIXED' });
      await expect(admin.call(deleteRole, { params: { name }, query: {} })).rejects.toMatchObject({
        code: 'ROLE_FIXED',
      });
    }
    expect(await roleNamed('ADMIN')).toMatchObject({ permissions });
  });

  test('gets no permission that the member of staff lacks, and cannot be changed if it has one', async () => {
    const { name, staff } = await createStaff('ROLES_EDIT', 'FAQ_READ');
    const refusal = { status: 403, code: 'PERMISSION_LACKING' };
    const body = { name: newName(), permissions: ['USERS_EDIT' as const] };
    await expect(staff.call(createRole, { body })).rejects.toMatchObject(refusal);
    await expect(set(staff, 'SUPPORT', ['FAQ_READ'])).rejects.toMatchObject(refusal);
    await expect(staff.call(deleteRole, { params: { name: 'FINANCE' }, query: {} })).rejects.toMatchObject(refusal);
    await expect(set(staff, name, [])).rejects.toMatchObject({ status: 403, code: 'OWN_ROLE' });
    const { name: weaker } = await createStaff('FAQ_READ');
    await expect(set(staff, weaker, ['FAQ_READ', 'FAQ_EDIT'])).rejects.toMatchObject(refusal);
    expect((await set(staff, weaker, [])).data.permissions).toEqual([]);
  });

  test('requires ROLES_EDIT for changes, and valid names and permissions', async () => {
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    const body = { name: newName(), permissions: [] };
    await expect(support.call(createRole, { body })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const invalid of [
      { name: 'lower', permissions: [] },
      { name: newName(), permissions: ['EVERYTHING'] },
      { name: newName(), permissions: ['FAQ_READ', 'FAQ_READ'] },
    ])
      await expect(admin.call(createRole, { body: invalid as never })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(set(admin, 'NOBODY', [])).rejects.toMatchObject({ status: 404 });
  });

  test('is refused when there are too many', async () => {
    await testApp.database.query(
      `insert into roles (name, permissions) select 'FILLER_' || n, '{}' from generate_series(1, $1::int) as n`,
      [ROLES_MAX],
    );
    const body = { name: newName(), permissions: [] };
    await expect(admin.call(createRole, { body })).rejects.toMatchObject({ status: 409, code: 'TOO_MANY_ROLES' });
    await testApp.database.query(`delete from roles where name like 'FILLER%'`);
  });

  test('that staff deleted does not come back at the next start', async () => {
    await testApp.database.query(`delete from roles where name = 'FINANCE'`);
    await seedRoles(testApp.ctx);
    expect(await roleNamed('FINANCE')).toBeUndefined();
  });
});

describe('the last administrator', () => {
  test('keeps USERS_EDIT when roles change: only an administrator of another role can take it from one', async () => {
    const { name, staff } = await createStaff('USERS_EDIT', 'ROLES_EDIT');
    const { staff: editor } = await createStaff('ROLES_EDIT');
    await expect(set(editor, name, ['ROLES_EDIT'])).rejects.toMatchObject({ code: 'PERMISSION_LACKING' });
    await expect(set(staff, name, ['ROLES_EDIT'])).rejects.toMatchObject({ code: 'OWN_ROLE' });
    const state = { permissions: new Set<Permission>(), administrators: [{ id: staff.id, roleName: name }] };
    expect(() => requireAdministrator(state, ({ roleName }) => roleName === name)).toThrow('This is the last user');
    requireAdministrator(state, ({ roleName }) => roleName === 'ADMIN');
  });

  test('stays one when two administrators demote each other concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, other] = [await createStaff('USERS_EDIT'), await createStaff('USERS_EDIT')];
      await testApp.database.query(
        `update users set status = 'BLOCKED' where role_name = any(array(select name from roles where 'USERS_EDIT' = any(permissions)))
            and id <> all($1::uuid[])`,
        [[one.staff.id, other.staff.id]],
      );
      const results = await Promise.allSettled([
        give(one.staff, other.staff, 'USER'),
        give(other.staff, one.staff, 'USER'),
      ]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await testApp.database.query(`update users set status = 'ACTIVE' where role_name = 'ADMIN'`);
    }
  });
});
