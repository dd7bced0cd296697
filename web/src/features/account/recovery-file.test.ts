import { expect, it } from 'vitest';
import { recoveryFile } from './recovery-file.ts';

it('says whose codes they are, with one code in each line', () => {
  expect(recoveryFile('Cellhop', 'Codes of a@b.co', ['aaa', 'bbb'])).toEqual({
    name: 'cellhop-recovery-codes.txt',
    text: 'Codes of a@b.co\n\naaa\nbbb\n',
  });
});

it('makes a file name of any brand', () => {
  expect(recoveryFile('Мой Прокси & Co.', '', []).name).toBe('мой-прокси-co-recovery-codes.txt');
});
