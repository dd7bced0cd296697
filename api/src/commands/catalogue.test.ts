import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../tools/temporary-directory.ts';
import { createProxy } from '../../test/factories.ts';
import { order } from '../../test/operator.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { catalogue, parseCatalogueArguments } from './catalogue.ts';
import { addNode } from '../modules/gateway/gateway.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await addNode(testApp.ctx, 'paris');
});
afterAll(() => testApp.stop());

async function run(values: string[], files: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, name), text);
  return order(testApp.ctx, catalogue, values, { INIT_CWD: directory });
}

const HEADER =
  'ip,price,countryCode,region,city,zip,isp,connectionType,node,exitKind,exit,ports,tunnels,megabitsPerSecond,asn,rotation';
const FILE = `${HEADER}\r\n192.0.2.1,0.8,DE,Berlin,Berlin,10115,Telekom,LTE,paris,local-address,,deny 25,20,2.5,3320,\r\n`;

describe('the arguments', () => {
  test.each([
    [['import', 'a.csv'], { name: 'import', file: 'a.csv', format: 'csv', isDryRun: false, defaults: {} }],
    [
      [
        'import',
        'a.JSON',
        '--dry-run',
        '--price=0.8',
        '--country=DE',
        '--type=LTE',
        '--kind=http',
        '--order=host-first',
      ],
      {
        name: 'import',
        file: 'a.JSON',
        format: 'json',
        isDryRun: true,
        defaults: { price: 0.8, countryCode: 'DE', connectionType: 'LTE', exitKind: 'http', order: 'host-first' },
      },
    ],
    [['import', 'a', '--format=json'], { name: 'import', file: 'a', format: 'json', isDryRun: false, defaults: {} }],
    [
      ['export', '--country=de,FR', '--country=IT'],
      { name: 'export', format: 'csv', filter: { country: ['DE', 'FR', 'IT'] } },
    ],
    [
      ['price', '--percent=-10', '--ip=192.0.2'],
      { name: 'price', change: { percent: -10 }, filter: { ip: '192.0.2' }, apply: undefined },
    ],
    [['price', '--set=0.5', '--apply=3'], { name: 'price', change: { price: 0.5 }, filter: {}, apply: 3 }],
    [
      ['retire', '--node=paris', '--state=FREE'],
      { name: 'retire', filter: { node: 'paris', state: 'FREE' }, apply: undefined },
    ],
  ])('%j are a command', (values, command) => {
    expect(parseCatalogueArguments(values)).toEqual(command);
  });

  test.each([
    [[], 'Which command?'],
    [['delete'], 'There is no command "delete".'],
    [['import'], 'Name one file to import.'],
    [['import', 'a', 'b'], 'Name one file to import.'],
    [['import', 'a', '--state=FREE'], "Unknown option '--state'"],
    [['import', 'a', '--country=UK'], '--country: must be the code of a country'],
    [['import', 'a', '--price=cheap'], '--price'],
    [['export', '--format=xml'], '--format is csv or json'],
    [['price'], 'Name either --set=DOLLARS or --percent=N.'],
    [['price', '--set=1', '--percent=1'], 'Name either --set=DOLLARS or --percent=N.'],
    [['price', '--set=-1'], '--set'],
    [['price', '--percent=many'], '--percent: a number is missing'],
    [['retire', '--apply=0'], '--apply'],
    [['retire', '--ip=paris'], '--ip: must be an IP address'],
    [['retire', 'everything'], 'everything'],
  ])('%j are refused', (values, message) => {
    expect(() => parseCatalogueArguments(values)).toThrow(message);
  });
});

describe('the commands', () => {
  test('import reads a list of a provider, and shows how without its passwords', async () => {
    const files = { 'list.txt': 'gate.test:1:user:1234\ngate.test:2:user:1234|https://farm.test/rotate' };
    const options = ['--price=0.8', '--country=DE', '--isp=Telekom', '--type=LTE', '--kind=http', '--node=paris'];
    expect(await run(['import', 'list.txt', ...options], files)).toMatchObject({
      code: 1,
      lines: [
        'list.txt:1: exit: can be read in both orders: add --order=host-first or --order=login-first',
        'Mistakes: 1. Nothing was imported.',
      ],
    });
    expect(await run(['import', 'list.txt', '--dry-run', ...options, '--order=host-first'], files)).toMatchObject({
      code: 0,
      lines: [
        'Line 1: waits for its address; http://***@gate.test:1 at paris; DE, -, -, -, Telekom, LTE; $0.8',
        'Line 2: waits for its address; http://***@gate.test:2 at paris; DE, -, -, -, Telekom, LTE; $0.8; with a link that changes the address',
        '0 new, 0 changed, 0 unchanged, 2 that wait for their address. A dry run: nothing was imported.',
      ],
    });
  });

  test('import checks, and without --dry-run imports', async () => {
    const files = { 'a.csv': FILE };
    expect(await run(['import', 'a.csv', '--dry-run'], files)).toMatchObject({
      code: 0,
      lines: [
        'Line 2: 192.0.2.1; own route at paris; DE, Berlin, Berlin, 10115, Telekom, LTE; $0.8',
        '1 new, 0 changed, 0 unchanged. A dry run: nothing was imported.',
      ],
    });
    expect(await run(['import', 'a.csv'], files)).toMatchObject({
      lines: ['1 new, 0 changed, 0 unchanged. Imported.'],
    });
    expect(await run(['import', 'a.csv'], files)).toMatchObject({
      lines: ['0 new, 0 changed, 1 unchanged. Imported.'],
    });
  });

  test('import prints the errors with their lines', async () => {
    expect(
      await run(['import', 'a.csv'], { 'a.csv': FILE.replace('0.8', 'cheap').replace('paris', 'rome') }),
    ).toMatchObject({
      code: 1,
      output: '',
      lines: [
        'a.csv:2: price: is not a valid price: dollars for 100 MB, more than 0, with at most four decimals; for 1,234 write 1,2340 or 1234',
        'Mistakes: 1. Nothing was imported.',
      ],
    });
  });

  test('export writes what import reads', async () => {
    await run(['import', 'a.csv'], { 'a.csv': FILE });
    expect((await run(['export', '--ip=192.0.2.1'])).output).toBe(FILE);
  });

  test('price first counts, then changes only that number of proxies', async () => {
    await createProxy(testApp, { countryCode: 'QA', priceMicros: 1_000_000n });
    await createProxy(testApp, { countryCode: 'QA', priceMicros: 2_000_000n });
    const values = ['price', '--percent=50', '--country=qa'];
    expect((await run(values)).lines).toEqual([
      'Proxies that match: 2, at $1 to $2.',
      'Nothing was changed. To change exactly these, add --apply=2.',
    ]);
    expect(await run([...values, '--apply=3'])).toMatchObject({ code: 1 });
    expect(await run([...values, '--apply=2'])).toMatchObject({ code: 0 });
    expect((await run(values)).lines[0]).toBe('Proxies that match: 2, at $1.5 to $3.');
  });

  test('retire and restore', async () => {
    await createProxy(testApp, { countryCode: 'BT' });
    expect(await run(['retire', '--country=BT', '--apply=1'])).toMatchObject({ code: 0 });
    expect((await run(['restore', '--country=BT', '--state=RETIRED'])).lines[0]).toContain('Proxies that match: 1');
    expect(await run(['restore', '--country=BT', '--apply=1'])).toMatchObject({ code: 0 });
    expect((await run(['restore', '--country=BT', '--state=RETIRED'])).lines).toEqual(['No proxy matches.']);
  });

  test('a filter says which of its codes are of no country, and finds proxies of an older release by them', async () => {
    await createProxy(testApp, { countryCode: 'UK' });
    const { code, lines } = await run(['retire', '--country=uk,BT']);
    expect([code, lines[0]]).toEqual([0, 'UK is not the code of a country in ISO 3166-1.']);
    expect(lines[1]).toContain('Proxies that match: 2');
  });

  test.each([
    [['price', '--percent=1'], 'question'],
    [['restore'], 'question'],
    [['retire', '--apply=1'], 'change'],
    [['import', 'a.csv', '--dry-run'], 'change'],
    [['export'], 'change'],
  ])('%j are a %s', (values, kind) => {
    expect(catalogue.parse(values).kind).toBe(kind);
  });
});
