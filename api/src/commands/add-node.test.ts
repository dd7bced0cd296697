import { describe, expect, test } from 'vitest';
import { parseFile } from '../../../bin/settings.mjs';
import { parseConfig } from '../../../gateway/src/config.ts';
import { describeSettings, parseNodeArguments } from './add-node.ts';

describe('the arguments of add-node', () => {
  test('are a name, and the host and ports that customers of the node see', () => {
    expect(parseNodeArguments(['paris'])).toEqual({ name: 'paris', options: {} });
    const values = ['paris-2', 'host=paris.example.com', 'port=1080', 'dns-ports=20000-20999'];
    expect(parseNodeArguments(values)).toEqual({
      name: 'paris-2',
      options: { address: { host: 'paris.example.com', port: 1080 }, dnsPorts: { first: 20_000, last: 20_999 } },
    });
    const { options } = parseNodeArguments(['paris', 'host=192.0.2.7', 'port=1']);
    expect(options.address).toEqual({ host: '192.0.2.7', port: 1 });
  });

  test.each([
    [[], 'NAME has lower-case letters'],
    [['Paris'], 'NAME has lower-case letters'],
    [['default'], 'has the token of the setting GATEWAY_TOKEN'],
    [['paris', 'host=paris.example.com'], 'host and port belong together'],
    [['paris', 'port=1080'], 'host and port belong together'],
    [['paris', 'host', 'port=1080'], 'host is a name or an IPv4 address'],
    [['paris', 'host=2001:db8::7', 'port=1080'], 'host is a name or an IPv4 address'],
    [['paris', 'host=two words', 'port=1080'], 'host is a name or an IPv4 address'],
    [['paris', 'host=paris.example.com', 'port=0'], 'port'],
    [['paris', 'dns-ports=20999-20000'], 'dns-ports: must be a range of ports'],
    [['paris', 'dns-ports=1-65536'], 'dns-ports: must be a range of ports'],
    [['paris', 'dnsPorts=20000-20999'], 'dnsPorts'],
  ])('%j are refused', (values, problem) => {
    expect(() => parseNodeArguments(values)).toThrow(problem);
  });
});

describe('the settings of the new machine', () => {
  const config = { internalPort: undefined, internalHost: '127.0.0.1', publicUrl: 'https://shop.example.com' };
  const token = 't'.repeat(64);

  test('are a file with which its gateway starts', () => {
    const { options } = parseNodeArguments(['paris', 'host=192.0.2.7', 'port=1081', 'dns-ports=20000-20099']);
    expect(parseConfig(parseFile(describeSettings(config, 'paris', options, token), 'x'))).toMatchObject({
      isDevelopment: false,
      host: '192.0.2.7',
      port: 1081,
      dnsPorts: { first: 20_000, last: 20_099 },
      token,
      controlUrl: 'https://shop.example.com',
    });
  });

  test('lack the address that customers see where it was not named', () => {
    const file = parseFile(describeSettings(config, 'paris', {}, token), 'x');
    expect(() => parseConfig(file)).toThrow('GATEWAY_HOST is required in production');
    expect(parseConfig({ ...file, GATEWAY_HOST: '192.0.2.7' })).toMatchObject({ port: 1080 });
  });

  test.each([
    ['10.0.0.1', 'http://10.0.0.1:3001'],
    ['127.0.0.1', 'https://shop.example.com'],
    ['0.0.0.0', 'https://shop.example.com'],
  ])('name the internal port of the API on %s as %s', (internalHost, controlUrl) => {
    const file = parseFile(describeSettings({ ...config, internalPort: 3001, internalHost }, 'paris', {}, token), 'x');
    expect(file).toMatchObject({ GATEWAY_CONTROL_URL: controlUrl });
  });
});
