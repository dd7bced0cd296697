import { expect, it } from 'vitest';
import { isPortAllowed, parsePortRule, portRuleText } from './port-rules.values.ts';

it.each([
  ['deny 25', 'deny 25'],
  [' Allow 443, 80,8000-8999 ', 'allow 80 443 8000-8999'],
  ['deny 20-30 25 31 29-40', 'deny 20-40'],
  ['allow 1-65535', 'allow 1-65535'],
])('reads %j as %j', (text, canonical) => {
  expect(portRuleText(parsePortRule(text)!)).toBe(canonical);
});

it.each([
  '',
  'deny',
  '25',
  'deny 0',
  'deny 65536',
  'deny 30-20',
  'deny 25-',
  'deny 25;26',
  'refuse 25',
  `deny ${Array.from({ length: 51 }, (_, index) => 2 * index + 1).join(' ')}`,
])('refuses %j', (text) => {
  expect(parsePortRule(text)).toBeUndefined();
});

const allowed = (text: string) => [79, 80, 90, 91].map((port) => isPortAllowed(parsePortRule(text)!, port));

it('allows only the ports of an allow-rule, and all but those of a deny-rule', () => {
  expect(allowed('allow 80-90')).toEqual([false, true, true, false]);
  expect(allowed('deny 80-90')).toEqual([true, false, false, true]);
});
