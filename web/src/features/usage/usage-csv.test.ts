import type { TFunction } from 'i18next';
import { expect, it } from 'vitest';
import { toUsageFile } from './usage-csv.ts';

const t = ((key: string) => key) as unknown as TFunction<'usage'>;

it('has exact numbers and local times', () => {
  const points = [
    { at: new Date(2026, 10, 21).toISOString(), trafficUsed: 5120.5, uploaded: 12, spent: 0.000008 },
    { at: new Date(2026, 10, 22).toISOString(), trafficUsed: 0, uploaded: 0, spent: -0.35 },
  ];
  const header = 'time,file.downloaded,file.uploaded,file.traffic,file.spent';
  expect(toUsageFile(points, t, 'en')).toBe(
    `\uFEFF${header}\r\n` +
      '2026-11-21 00:00:00,4.98877,0.011719,5.000488,0.000008\r\n' +
      '2026-11-22 00:00:00,0,0,0,-0.35\r\n',
  );
  expect(toUsageFile(points, t, 'ru')).toContain('2026-11-21 00:00:00;4,98877;0,011719;5,000488;0,000008\r\n');
});
