import { expect, test } from 'vitest';
import { asnText, parseAsn } from './places.values.ts';

test.each([
  ['1', 1],
  ['AS3320', 3320],
  ['as3320', 3320],
  ['4294967295', 4_294_967_295],
])('%s is the number of an autonomous system', (text, asn) => {
  expect(parseAsn(text)).toBe(asn);
  expect(parseAsn(asnText(asn))).toBe(asn);
});

test.each(['', '0', 'AS', 'AS-1', '4294967296', '99999999999', '1e3', ' 1', '03320'])('"%s" is none', (text) => {
  expect(parseAsn(text)).toBeUndefined();
});
