import { describe, expect, test } from 'vitest';
import { parseNodeArguments } from './add-node.ts';

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
