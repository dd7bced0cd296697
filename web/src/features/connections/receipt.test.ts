import type { Charge } from '@cellhop/contract/receipts';
import type { TFunction } from 'i18next';
import { describe, expect, it } from 'vitest';
import { spreadsheetTime } from '../../format/spreadsheet.ts';
import { costPath, costSteps } from './cost-chart.tsx';
import { receiptCsv } from './receipt-csv.ts';

const START = Date.UTC(2026, 10, 21, 12);

function charge(number: number, amount: number): Charge {
  return {
    number,
    chargedAt: new Date(START + number * 1000).toISOString(),
    kind: amount < 0 ? 'REFUND' : number === 1 ? 'PREPAID_50_MB' : 'MEGABYTE',
    firstMegabyte: number,
    lastMegabyte: number,
    uploadedBytes: 1,
    downloadedBytes: 2,
    megabytePrice: 0.008,
    amount,
    hash: 'ab'.repeat(32),
  };
}

const cost = (...steps: [second: number, cost: number][]) => ({
  createdAt: new Date(START).toISOString(),
  steps: steps.map(([second, dollars]) => ({
    chargedAt: new Date(START + second * 1000).toISOString(),
    cost: dollars,
  })),
});

function toTime(second: number): string {
  return spreadsheetTime(new Date(START + second * 1000).toISOString());
}

describe('receiptCsv', () => {
  const t = ((key: string) => key) as unknown as TFunction<'receipt'>;
  const hash = 'ab'.repeat(32);

  it('has a header, a row per charge, and amounts with six decimals', () => {
    const [header, first, second, ...rest] = receiptCsv([charge(1, 0.4), charge(2, -0.352)], t, 'en').split('\r\n');
    expect(header).toMatch(/^\uFEFFfile\.number,date,what,file\.firstMegabyte,.*,file\.hash$/);
    expect(first).toBe(`1,${toTime(1)},file.kinds.PREPAID_50_MB,1,1,1,2,0.008000,0.400000,${hash}`);
    expect(second).toBe(`2,${toTime(2)},file.kinds.REFUND,2,2,1,2,0.008000,-0.352000,${hash}`);
    expect(rest).toEqual(['']);
  });

  it('has the Russian format, too', () => {
    expect(receiptCsv([charge(1, 0.4)], t, 'ru')).toContain(`;1;1;1;2;0,008000;0,400000;${hash}\r\n`);
  });
});

describe('costPath', () => {
  it('has steps from the lower left to the end', () => {
    const steps = costSteps(cost([1, 0.4], [3, 0.2]));
    expect(costPath(steps, START + 4000, { width: 400, height: 100, top: 0.5 })).toBe('M0 100H100V20H300V60H400');
  });

  it('stays in its box if the refund is charged after the end', () => {
    const steps = costSteps(cost([1, 0.4], [5, 0.2]));
    expect(costPath(steps, START + 4000, { width: 400, height: 100, top: 0.5 })).toBe('M0 100H100V20H400V60H400');
  });

  it('stays in its box if all charges have the same time', () => {
    expect(costPath(costSteps(cost()), START, { width: 400, height: 100, top: 1 })).toBe('M0 100H400');
  });
});
