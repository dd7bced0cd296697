import type { Connection } from '@cellhop/contract/connections';
import { describe, expect, it } from 'vitest';
import { proxyList } from './proxy-list.ts';

const connection = {
  label: 'Shop',
  ip: '198.18.0.1',
  host: 'proxy.example',
  port: 1080,
  username: 'user',
  password: 'secret',
  countryCode: 'DE',
  city: 'Kassel',
  zip: '34117',
  isp: 'Example Mobile',
} as Connection;

describe('proxyList', () => {
  it('writes host:port:user:password, one per line', () => {
    expect(proxyList([connection, { ...connection, port: 1081 }], 'TXT')).toBe(
      'proxy.example:1080:user:secret\nproxy.example:1081:user:secret\n',
    );
  });

  it('writes CSV in which a label can neither break a row nor become a formula', () => {
    const csv = proxyList([{ ...connection, label: '=1+1,"x"' }], 'CSV');
    expect(csv.split('\r\n')).toEqual([
      'label,ip,host,port,username,password,countryCode,city,zip,isp',
      `"'=1+1,""x""",198.18.0.1,proxy.example,1080,user,secret,DE,Kassel,34117,Example Mobile`,
      '',
    ]);
  });

  it('writes JSON with the URLs', () => {
    const [first] = JSON.parse(proxyList([connection], 'JSON')) as object[];
    expect(first).toMatchObject({
      label: 'Shop',
      port: 1080,
      urls: { socks: 'socks5://user:secret@proxy.example:1080', http: 'http://user:secret@proxy.example:1080' },
    });
  });

  it('leaves out connections without a password', () => {
    expect(proxyList([{ ...connection, password: null }], 'TXT')).toBe('');
  });
});
