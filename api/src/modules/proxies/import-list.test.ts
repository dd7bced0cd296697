/** Lists of providers, as they come: a proxy in each line, in any of the usual forms. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from './import-encoding.ts';
import { type ImportRow, readRows, type RowDefaults } from './import-rows.ts';
import { mendZip } from './zip-codes.ts';

const nodes = new Map([['paris', 'id-of-paris']]);
const stated: RowDefaults = {
  price: '0,8',
  countryCode: 'DE',
  isp: 'Telekom',
  connectionType: 'LTE',
  exitKind: 'socks5',
};

function read(text: string, defaults: RowDefaults = stated) {
  return [...readRows('csv', text, nodes, defaults)].filter((item) => item !== null);
}
/** The exit as a URL with its credentials, or the problem. */
function exitsOf(text: string, defaults?: RowDefaults) {
  return read(text, defaults).map((item) => ('problem' in item ? `${item.line} ${item.problem}` : urlOf(item)));
}
function urlOf({ exit: { key, credentials } }: ImportRow): string {
  if (credentials === undefined || credentials === 'hidden') return key;
  return key.replace('://', () => `://${credentials.username}:${credentials.password}@`);
}

describe('a line of a list', () => {
  test.each([
    ['gate.test:8000:user:secret', 'socks5://user:secret@gate.test:8000'],
    ['192.0.2.7:8000:user:se:cr@t', 'socks5://user:se:cr@t@192.0.2.7:8000'],
    ['user:secret:gate.test:8000', 'socks5://user:secret@gate.test:8000'],
    ['user:secret@gate.test:8000', 'socks5://user:secret@gate.test:8000'],
    ['user:se@cret@gate.test:8000', 'socks5://user:se@cret@gate.test:8000'],
    ['gate.test:8000@user:secret', 'socks5://user:secret@gate.test:8000'],
    ['gate.test:8000@user:se@c:ret', 'socks5://user:se@c:ret@gate.test:8000'],
    ['gate.test:8000@user:100%', 'socks5://user:100%@gate.test:8000'],
    ['gate.test:8000', 'socks5://gate.test:8000'],
    ['[2001:db8::7]:8000:user:secret', 'socks5://user:secret@[2001:db8::7]:8000'],
    ['http://user:secret@gate.test:8000', 'http://user:secret@gate.test:8000'],
    ['HTTP://gate.test:8000:user:secret', 'http://user:secret@gate.test:8000'],
    ['socks5h://user:s%40@gate.test:8000/', 'socks5://user:s@@gate.test:8000'],
    ['socks5://gate.test:8000', 'socks5://gate.test:8000'],
    ['"gate.test:8000:user:secret"', 'socks5://user:secret@gate.test:8000'],
  ])('%s is %s', (line, url) => {
    expect(exitsOf(line)).toEqual([url]);
  });

  test.each([
    'gate.test:8000:user:secret:',
    'gate.test:8000:user:secret|',
    'gate.test:8000:user:secret ',
    'gate.test:8000:user:secret;',
    'user:secret@gate.test:8000, ',
    'gate.test:8000@user:secret\t',
    'socks5://user:secret@gate.test:8000[',
  ])('may have a link for the change of the address behind it: %s', (start) => {
    const end = start.endsWith('[') ? ']' : '';
    const url = 'https://farm.test/rotate?key=1';
    const line = `${start}${url}${end}`;
    expect(read(line)).toMatchObject([{ rotation: { link: { method: 'GET', url }, cooldownSeconds: null } }]);
    expect(exitsOf(line)).toEqual(['socks5://user:secret@gate.test:8000']);
    if (start.endsWith(':')) return;
    const posted = `${start}POST ${url} cooldown=90 perHour=10 Authorization: Bearer x${end}`;
    const header = { name: 'Authorization', value: 'Bearer x' };
    expect(read(posted)).toMatchObject([
      { rotation: { link: { method: 'POST', url, header }, cooldownSeconds: 90, changesPerHour: 10 } },
    ]);
    expect(exitsOf(posted)).toEqual(['socks5://user:secret@gate.test:8000']);
  });

  test.each([
    ['169.254.169.254:80:user:secret', 'REFUSED_UPSTREAM'],
    ['gate.test:99999:user:secret', 'NOT_AN_UPSTREAM'],
    ['gate.test', 'NOT_AN_UPSTREAM'],
    ['ftp://user:secret@gate.test:80', 'NOT_AN_UPSTREAM'],
    ['gate.test:80:user:sec ret', 'NOT_AN_UPSTREAM'],
    ['socks5://user:100%@gate.test:80', 'NOT_AN_UPSTREAM'],
    [`gate.test:80:user:${'x'.repeat(256)}`, 'NOT_AN_UPSTREAM'],
    [`gate.test:80:user:${'x'.repeat(5000)}`, 'NOT_AN_UPSTREAM'],
    [`gate.test:80:user:${'x'.repeat(70_000)}`, 'TOO_LARGE'],
  ])('%j is refused', (line, problem) => {
    expect(exitsOf(`a.test:1:b:secret\n${line}`)).toEqual(['socks5://b:secret@a.test:1', `2 ${problem}`]);
  });

  test('has what the form says, the only gateway, and no address', () => {
    expect(read('gate.test:8000:user:secret')).toMatchObject([
      { ip: null, priceMicros: 800_000n, countryCode: 'DE', region: '-', city: '-', zip: '-', isp: 'Telekom', line: 1 },
    ]);
    expect(read('gate.test:8000', { exitKind: 'http' }).map((item) => 'column' in item && item.column)).toEqual([
      'price',
      'countryCode',
      'isp',
      'connectionType',
    ]);
    expect(exitsOf('gate.test:8000\nhttp://gate.test:1', { ...stated, exitKind: undefined })).toEqual([
      '1 UNKNOWN_EXIT_KIND',
      'http://gate.test:1',
    ]);
  });

  test('is read in UTF-16 too, with CRLF and empty lines', () => {
    const text = decode(Buffer.from('\uFEFFa.test:1:u:secret\r\n\r\nb.test:2:u:secret\r\n', 'utf16le')) as string;
    expect(read(text).map(({ line }) => line)).toEqual([1, 3]);
  });
});

test.each([
  'http://169.254.169.254/rotate',
  'https://farm.test/rotate cooldown=0',
  'https://farm.test/rotate Host: other.test',
  'https://farm.test/rotate;https://farm.test/status',
  'PUT https://farm.test/rotate',
  'ftp://farm.test/rotate',
  '*** Authorization: Bearer x',
  'farm.test/rotate',
])('%j is refused as a link', (rotation) => {
  expect(read(`exit,rotation\na.test:1,${rotation}`)).toEqual([
    { line: 2, column: 'rotation', problem: 'NOT_A_LINK', value: null },
  ]);
});

describe('a line that can be read in both orders', () => {
  const either = 'gate.test:8000:user:1234';

  test('is asked about, not guessed', () => {
    expect(exitsOf(`${either}\nnext.test:8000:user:1234`)).toEqual(['1 EITHER_ORDER']);
    expect(exitsOf(`gate.test:8000@user:1234`)).toEqual(['1 EITHER_ORDER']);
    expect(exitsOf(either, { ...stated, order: 'host-first' })).toEqual(['socks5://user:1234@gate.test:8000']);
    expect(exitsOf(either, { ...stated, order: 'login-first' })).toEqual(['socks5://gate.test:8000@user:1234']);
  });

  test('is read as all the others, if they have one order', () => {
    expect(exitsOf(`${either}\na.test:1:u:secret\nhttp://b.test:2`)[0]).toBe('socks5://user:1234@gate.test:8000');
    expect(exitsOf(`${either}\nu:secret:a.test:1`)[0]).toBe('socks5://gate.test:8000@user:1234');
    expect(exitsOf(`a.test:1:u:secret\nu:secret:b.test:2\n${either}`)).toEqual(['3 EITHER_ORDER']);
  });

  test('is asked about in a column of a table, too', () => {
    const table = `exit,price\n${either},0.8`;
    expect(exitsOf(table)).toEqual(['2 EITHER_ORDER']);
    expect(exitsOf(table, { ...stated, order: 'host-first' })).toEqual(['socks5://user:1234@gate.test:8000']);
  });
});

test('the same exit twice is one sentence; other credentials make another exit', () => {
  expect(read('a.test:1:u:secret\nu:secret@a.test:1\na.test:1:u:other').slice(1)).toMatchObject([
    { line: 2, column: 'exit', problem: 'DUPLICATE_EXIT', value: '1' },
    { line: 3, ip: null },
  ]);
});

test('a table without some columns has what the form says, and its own values first', () => {
  const text = 'exit;zip;countryCode\na.test:1:u:secret;1067;\nhttp://b.test:1;1067;FR';
  expect(read(text)).toMatchObject([
    { countryCode: 'DE', zip: '01067', exitKind: 'socks5', ip: null },
    { countryCode: 'FR', zip: '01067', exitKind: 'http' },
  ]);
  // A kind that the file names is no default.
  expect(exitsOf('exit,exitKind\nhttp://b.test:1,socks5')).toEqual(['2 NOT_AN_UPSTREAM']);
});

test.each([
  ['DE', '1067', '01067'],
  ['US', '501', '00501'],
  ['NO', '10', '0010'],
  ['BR', '1310100', '01310100'],
  ['DE', '10115', '10115'],
  ['DE', '7', '7'],
  ['GB', '1067', '1067'],
  ['US', '2101-1', '2101-1'],
  ['CH', '800', '800'],
])('the ZIP of %s that a spreadsheet made %s is %s', (country, zip, mended) => {
  expect(mendZip(country, zip)).toBe(mended);
});

const part = fc.stringMatching(/^[A-Za-z0-9$%&!~=+._-]{4,16}$/);
const forms = [
  (place: string, login: string) => `${place}:${login}`,
  (place: string, login: string) => `${login}:${place}`,
  (place: string, login: string) => `${place}@${login}`,
  (place: string, login: string) => `${login}@${place}`,
];

test('each form with any user and password is read as it was written, or asked about', () => {
  fc.assert(
    fc.property(
      part,
      part,
      fc.constantFrom(...forms),
      fc.integer({ min: 1, max: 65_535 }),
      (user, secret, form, port) => {
        const [found] = exitsOf(form(`gate.test:${port}`, `${user}:${secret}`));
        expect([`socks5://${user}:${secret}@gate.test:${port}`, '1 EITHER_ORDER']).toContain(found);
      },
    ),
  );
});

test('a list of 5,000 long lines without a meaning takes seconds, not minutes', { tags: ['thorough'] }, () => {
  const line = ':'.repeat(2000) + '@'.repeat(2000);
  const before = process.cpuUsage();
  read(['a.test:1:u:secret', ...Array.from({ length: 5000 }, () => line)].join('\n'));
  expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
});
