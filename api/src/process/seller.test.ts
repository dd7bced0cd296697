import { readEnvironment } from '@cellhop/contract/environment';
import { expect, test } from 'vitest';
import { readSeller } from './seller.ts';

const read = (variables: Record<string, string>) => readEnvironment(variables, readSeller);

test('lines of the address are separated in one setting; what is not set is empty', () => {
  expect(read({ SELLER_NAME: ' Example Ltd ', SELLER_ADDRESS: String.raw`1 Main Street \n London` }).seller).toEqual({
    name: 'Example Ltd',
    address: '1 Main Street\nLondon',
    register: '',
    vatId: '',
    note: '',
  });
  expect(read({}).seller).toBeUndefined();
});

test('a seller without a name prevents the start', () => {
  expect(() => read({ SELLER_VAT_ID: 'GB1' })).toThrow('SELLER_NAME is not set, but another setting of the seller is');
});
