import { expect, it } from 'vitest';
import { legalBlocks } from './legal-blocks.ts';

it('splits a text at empty lines and recognizes headings', () => {
  expect(legalBlocks('# Money\r\n\r\nOne\nline.\n \n\nAnother #1.\n')).toEqual([
    { isHeading: true, text: 'Money' },
    { isHeading: false, text: 'One\nline.' },
    { isHeading: false, text: 'Another #1.' },
  ]);
});
