import { expect, it } from 'vitest';
import { toCsv } from './usage-csv.ts';

it('writes each point with exact numbers', () => {
  const points = [
    { at: '2026-11-21T00:00:00.000Z', trafficUsed: 5120.5, uploaded: 12, spent: 0.000008 },
    { at: '2026-11-22T00:00:00.000Z', trafficUsed: 0, uploaded: 0, spent: -0.35 },
  ];
  expect(toCsv(points)).toBe(
    'from,traffic_kib,uploaded_kib,spent_usd\r\n' +
      '2026-11-21T00:00:00.000Z,5120.5,12,0.000008\r\n' +
      '2026-11-22T00:00:00.000Z,0,0,-0.35\r\n',
  );
});
