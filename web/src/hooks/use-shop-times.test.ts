import { expect, test } from 'vitest';
import { currentSettings } from '../data/settings.ts';
import { shopTimes } from './use-shop-times.ts';

test('names the times of the settings', () => {
  const set = { ...currentSettings(), refundMinutes: 1.5, idleMinutes: 60 };
  expect(shopTimes(set, 'en')).toEqual({ refundTime: '90\u00A0seconds', idleTime: '1\u00A0hour' });
  expect(shopTimes(set, 'ru')).toEqual({ refundTime: '90\u00A0секунд', idleTime: '1\u00A0час' });
});
