/** During an upgrade, processes of this release read what newer ones have stored. */
import { type Permission, seededRoles } from '@cellhop/contract/permissions';
import { listNotifications } from '@cellhop/contract/notifications';
import { listAuditLog } from '@cellhop/contract/staff/audit-log';
import { listUserNotifications } from '@cellhop/contract/staff/notifications';
import { changeRole, createRole, listRoles } from '@cellhop/contract/staff/roles';
import { getTimeline } from '@cellhop/contract/staff/timeline';
import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';

let testApp: TestApp;
let admin: TestUser;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  user = await createUser(testApp);
});
afterAll(() => testApp.stop());

test('an unknown kind of notification gets a generic text', async () => {
  await testApp.database.query(
    `insert into notifications (user_id, idempotency_key, kind, details) values ($1, 'newer', 'NEWER_KIND', '{"city":"Bonn"}')`,
    [user.id],
  );
  const { data, unreadCount } = await user.call(listNotifications, { query: {} });
  expect(data.map(({ description }) => description)).toEqual([
    'There is a new notification. Reload the page in a few minutes to read it.',
  ]);
  expect(unreadCount).toBe(1);
  const shown = { description: data[0]!.description };
  expect((await admin.call(listUserNotifications, { query: { userId: user.id } })).data).toMatchObject([shown]);
  const timeline = await admin.call(getTimeline, { params: { id: user.id }, query: { kind: ['NOTIFICATION'] } });
  expect(timeline.data).toMatchObject([shown]);
});

test('an unknown action of the audit log is shown by its name', async () => {
  await testApp.database.query(
    `insert into audit_log (action, actor_id, user_id, subject_type, subject_id, details)
     values ('NEWER_ACTION', $1, $2, 'USER', $2, '{}')`,
    [admin.id, user.id],
  );
  const { data } = await admin.call(listAuditLog, { query: { userId: user.id, action: ['NEWER_ACTION'] } });
  expect(data).toMatchObject([{ action: 'NEWER_ACTION', actor: { id: admin.id } }]);
  const timeline = await admin.call(getTimeline, { params: { id: user.id }, query: { kind: ['STAFF'] } });
  expect(timeline.data).toMatchObject([{ action: 'NEWER_ACTION' }]);
});

test('an unknown permission is not shown, and the role keeps it when staff change the role', async () => {
  const permissionsOf = async (name: string): Promise<string[]> => {
    const [row] = await testApp.database.query<{ permissions: string[] }>(
      'select permissions from roles where name = $1',
      [name],
    );
    return row!.permissions;
  };
  await admin.call(createRole, { body: { name: 'NIGHT_SHIFT', permissions: ['TICKETS_READ'] } });
  const member = await createUser(testApp, { roleName: 'NIGHT_SHIFT' });
  await testApp.database.query(
    `update roles set permissions = permissions || '{NEWER_READ}' where name in ('NIGHT_SHIFT', 'ADMIN')`,
  );
  expect((await member.call(getProfile, {})).data.role.permissions).toEqual(['TICKETS_READ']);
  const listed = (await admin.call(listRoles, {})).data.find(({ name }) => name === 'NIGHT_SHIFT')!;
  expect(listed.permissions).toEqual(['TICKETS_READ']);
  const permissions: Permission[] = ['TICKETS_READ', 'USERS_READ'];
  const body = { permissions, reason: 'they also look users up' };
  const { data } = await admin.call(changeRole, { params: { name: 'NIGHT_SHIFT' }, body });
  expect(data.permissions).toEqual(permissions);
  expect(await permissionsOf('NIGHT_SHIFT')).toEqual([...permissions, 'NEWER_READ']);
  expect(await permissionsOf('SUPPORT')).toEqual(seededRoles['SUPPORT']);
});
