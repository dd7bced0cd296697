import { expect, it } from 'vitest';
import { recoveryFile } from './recovery-file.ts';

it('has the account, and one code per line', () => {
  expect(recoveryFile('Cellhop', 'Codes of a@b.co', ['aaa', 'bbb'])).toEqual({
    name: 'cellhop-recovery-codes.txt',
    text: 'Codes of a@b.co\n\naaa\nbbb\n',
  });
});

it('has a file name for any brand', () => {
  expect(recoveryFile('Мой Прокси & Co.', '', []).name).toBe('мой-прокси-co-recovery-codes.txt');
});
