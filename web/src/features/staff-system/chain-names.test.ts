import { chains } from '@cellhop/contract/chains';
import i18next from 'i18next';
import { expect, it } from 'vitest';
import { nameOfChain, nameOfSpace } from './chain-names.ts';

it.each(['en', 'ru'])('chains have their proper names in %s', async (language) => {
  await i18next.changeLanguage(language);
  expect(chains.map(nameOfChain)).toEqual(['Bitcoin', 'Litecoin', 'Ethereum', 'BNB Smart Chain', 'TRON', 'TON']);
  expect(nameOfSpace('evm')).toBe('Ethereum, BNB Smart Chain');
});

it('names of newer releases are shown as they are', () => {
  expect([nameOfChain('dogecoin'), nameOfSpace('doge')]).toEqual(['dogecoin', 'doge']);
});
