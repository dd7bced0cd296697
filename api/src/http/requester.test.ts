import { expect, test } from 'vitest';
import { validAddress, deviceName } from './requester.ts';

const client = (ip: string, userAgent?: string) => ({ ip, userAgent, requestId: 'request-1' });

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['Firefox on iPhone', `${IPHONE} AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/131.0 Mobile/15E148 Safari/605.1.15`],
  ['Chrome on macOS', `${MAC} ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`],
  ['Chrome on Android', `${ANDROID} ${WEBKIT} Chrome/141.0.0.0 Mobile Safari/537.36`],
  ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`],
  ['Chrome on iPhone', `${IPHONE} AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1`],
  ['Safari on macOS', `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`],
  ['Safari on iPhone', `${IPHONE} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1`],
  ['Edge on Windows', `${WINDOWS} ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`],
  ['Opera on Windows', `${WINDOWS} ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 OPR/120.0.0.0`],
  ['Yandex Browser on Windows', `${WINDOWS} ${WEBKIT} Chrome/140.0.0.0 YaBrowser/25.10.0.0 Safari/537.36`],
  ['Samsung Internet on Android', `${ANDROID} ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`],
  ['curl', 'curl/8.5.0'],
  ['Python', 'python-requests/2.32.3'],
  ['Python', 'Python/3.12 aiohttp/3.9.5'],
  ['Wget', 'Wget/1.24.5'],
  ['Go', 'Go-http-client/2.0'],
  ['Node.js', 'axios/1.7.9'],
  ['OkHttp', 'okhttp/4.12.0'],
  ['Java', 'Java/21.0.2'],
  ['Postman', 'PostmanRuntime/7.43.0'],
  ['HTTPie', 'HTTPie/3.2.2'],
  ['PHP', 'GuzzleHttp/7'],
  ['Android', 'Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8)'],
  ['Unknown device', undefined],
  ['Unknown device', ''],
  ['Unknown device', 'node'],
  ['Unknown device', '<script>alert(1)</script>'],
  ['Unknown device', `${'x'.repeat(10_000)} Firefox/1`],
])('%s: %s', (device, userAgent) => {
  expect(deviceName(client('203.0.113.7', userAgent))).toBe(device);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['unknown', null],
  ["1.2.3.4'; drop table users", null],
])('the address of %s is %s', (ip, address) => {
  expect(validAddress(client(ip))).toBe(address);
});
