import { afterEach, expect, test, vi } from 'vitest';
import { browserTimeZone } from './time-zone.ts';

afterEach(() => vi.restoreAllMocks());

function pretend(timeZone: string | undefined, minutesBehind: number): void {
  const options = new Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
    ...options,
    timeZone,
  } as typeof options);
  vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(minutesBehind);
}

test('is the zone of the browser', () => {
  pretend('Asia/Kolkata', -330);
  expect(browserTimeZone()).toBe('Asia/Kolkata');
});

test.each([
  ['Etc/Unknown', 0, 'UTC'],
  [undefined, 0, 'UTC'],
  ['Etc/Unknown', -120, 'Etc/GMT-2'],
  ['Mars/Olympus', 300, 'Etc/GMT+5'],
  ['Etc/Unknown', -330, 'UTC'],
])('for a browser that says "%s", %d minutes behind UTC, it is %s', (timeZone, minutes, zone) => {
  pretend(timeZone, minutes);
  expect(browserTimeZone()).toBe(zone);
});
