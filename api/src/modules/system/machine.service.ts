/** The machine of API and worker: whether its disk is nearly full, and whether the newest backup is too old. */
import type { Attention } from '@cellhop/contract/staff/dashboard';
import fs from 'node:fs/promises';
import path from 'node:path';
import { findNewest } from '../../backup/backup.ts';
import type { Ctx } from '../../ctx.ts';
import { tellSystemStaff } from '../notifications/system-notices.service.ts';

const DISK_PERCENT_MAX = 90;

type Machine = NonNullable<Attention['machine']>;

export async function readMachine(ctx: Ctx): Promise<Machine> {
  return { fullDisk: await findFullDisk(ctx), lateBackup: await findLateBackup(ctx) };
}

/** Of the disks with backups and with the witness: on one server, that of the database. */
async function findFullDisk({ config }: Ctx): Promise<Machine['fullDisk']> {
  const { witnessFile, backup } = config;
  const folders = [backup.folder, witnessFile && path.dirname(witnessFile)].filter((folder) => folder !== undefined);
  const used = await Promise.all(folders.map(percentUsed));
  const usedPercent = Math.max(0, ...used);
  return usedPercent < DISK_PERCENT_MAX ? null : { usedPercent };
}

/** As `df` counts: blocks for root alone are not free. A folder that does not exist yet uses nothing. */
async function percentUsed(folder: string): Promise<number> {
  const disk = await fs.statfs(folder).catch(() => undefined);
  if (!disk) return 0;
  const used = disk.blocks - disk.bfree;
  return Math.floor((100 * used) / Math.max(1, used + disk.bavail));
}

async function findLateBackup({ config }: Ctx): Promise<Machine['lateBackup']> {
  const { folder, ageMaxMs } = config.backup;
  if (folder === undefined) return null;
  const newestAt = await findNewest(folder);
  const isLate = newestAt === undefined || Date.now() - newestAt.getTime() > ageMaxMs;
  return isLate ? { newestAt: newestAt?.toISOString() ?? null } : null;
}

/** Tells staff when a backup becomes late, and once a day that the disk is full. */
export async function warnOfMachine(ctx: Ctx): Promise<void> {
  const { fullDisk, lateBackup } = await readMachine(ctx);
  if (fullDisk) await tellSystemStaff(ctx, `disk-full:${new Date().toISOString().slice(0, 10)}`, 'disk-full');
  if (lateBackup) await tellSystemStaff(ctx, `backup-late:${lateBackup.newestAt ?? 'none'}`, 'backup-late');
}
