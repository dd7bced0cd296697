import { expect, test } from 'vitest';
import { currentSettings } from '../data/settings.ts';
import { shopTimes } from './use-shop-times.ts';

test('names the times of the settings, and the usual one where an API of the previous release sends none', () => {
  const set = { ...currentSettings(), refundMinutes: 1.5, idleMinutes: 60 };
  expect(shopTimes(set, 'en')).toEqual({ refundTime: '90\u00A0seconds', idleTime: '1\u00A0hour' });
  expect(shopTimes(set, 'ru')).toEqual({ refundTime: '90\u00A0секунд', idleTime: '1\u00A0час' });
  expect(shopTimes({ ...set, idleMinutes: undefined }, 'en').idleTime).toBe('30\u00A0minutes');
});
