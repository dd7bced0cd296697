/** @module-tag thorough */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { getAttention } from '@cellhop/contract/staff/dashboard';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { mailsTo, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { warnOfMachine } from './machine.service.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'backups-'));
let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  const backup = { folder, ageMaxMs: 26 * 3_600_000, keptCount: 7, recipient: undefined, programs: undefined };
  testApp = await startTestAppWithMail({ backup, requiresStaffSecondFactor: false });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(async () => {
  await testApp.stop();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const readMachine = async () => (await admin.call(getAttention, {})).data.machine;
/** As `statfs` describes a disk of 100 blocks, five of them for root alone. */
const fillDisk = (bfree: number) =>
  vi.spyOn(fs, 'statfs').mockResolvedValue({ blocks: 100, bfree, bavail: bfree - 5 } as never);
const addBackup = (hoursAgo: number) => {
  const name = new Date(Date.now() - hoursAgo * 3_600_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  writeFileSync(path.join(folder, `cellhop-${name}Z.json`), '{}');
};

test('a backup that is missing or too old is shown and mailed once; a new one ends it', async () => {
  fillDisk(50);
  expect(await readMachine()).toEqual({ fullDisk: null, lateBackup: { newestAt: null } });
  addBackup(27);
  expect((await readMachine())?.lateBackup?.newestAt).toMatch(/^\d{4}-/);
  for (let run = 1; run <= 2; run++) await warnOfMachine(testApp.ctx);
  expect((await mailsTo(testApp, admin.email)).map(({ subject }) => subject)).toEqual([
    'The newest backup of Cellhop is too old',
  ]);
  addBackup(25);
  expect(await readMachine()).toEqual({ fullDisk: null, lateBackup: null });
});

test('a disk that is used by nine tenths is shown, and mailed once a day', async () => {
  fillDisk(15);
  expect((await readMachine())?.fullDisk).toBeNull();
  fillDisk(14);
  expect((await readMachine())?.fullDisk).toEqual({ usedPercent: 90 });
  for (let run = 1; run <= 2; run++) await warnOfMachine(testApp.ctx);
  const [newest, ...others] = await mailsTo(testApp, admin.email);
  expect(newest!.subject).toBe('The disk of Cellhop is nearly full');
  expect(others).toHaveLength(1);
});
