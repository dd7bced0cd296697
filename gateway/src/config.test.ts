import os, { type NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { parseConfig } from './config.ts';
import { authorityText } from './protocol/host.ts';

const required = { GATEWAY_CONTROL_URL: 'http://127.0.0.1:3000', GATEWAY_TOKEN: 'secret-token' };

const parse = (url: string) => () => parseConfig({ ...required, GATEWAY_CONTROL_URL: url });

const destinations = (settings: NodeJS.ProcessEnv) =>
  parseConfig(settings).checkDestinations.map((target) => authorityText(target));

describe('the settings', () => {
  it('have defaults for a single machine', () => {
    expect(parseConfig(required)).toMatchObject({ host: '127.0.0.1', port: 1080, allowPrivate: false });
  });

  it('use the public host to listen unless another address is set', () => {
    expect(parseConfig({ ...required, GATEWAY_HOST: 'proxy.test' }).host).toBe('proxy.test');
    const both = { ...required, GATEWAY_HOST: 'proxy.test', GATEWAY_LISTEN_HOST: '0.0.0.0' };
    expect(parseConfig(both).host).toBe('0.0.0.0');
  });

  it('drain tunnels for a minute unless they say otherwise', () => {
    expect(parseConfig(required).drainMs).toBe(60_000);
    const production = { ...required, NODE_ENV: 'production', GATEWAY_HOST: 'a.test', GATEWAY_NAME_SERVERS: '9.9.9.9' };
    expect(parseConfig(production).drainMs).toBe(60_000);
    expect(parseConfig({ ...required, GATEWAY_DRAIN_SECONDS: '0' }).drainMs).toBe(0);
  });

  it('disable the limit of failed logins with 0', () => {
    const { limits } = parseConfig({ ...required, GATEWAY_LOGIN_FAILURES_PER_MINUTE: '0' });
    expect(limits.loginFailuresPerMinute).toBe(0);
  });

  it('set the maximum grant and the time until an exit is lost', () => {
    expect(parseConfig(required).limits).toMatchObject({ wantedBytesMax: 268_435_456, exitLostMs: 30_000 });
    const { limits } = parseConfig({ ...required, GATEWAY_GRANT_MEGABYTES_MAX: '2', EXIT_LOST_SECONDS: '0' });
    expect(limits).toMatchObject({ wantedBytesMax: 2_097_152, exitLostMs: 0 });
  });

  it('accept a list of name servers', () => {
    const config = parseConfig({ ...required, GATEWAY_NAME_SERVERS: '192.0.2.1, [2001:db8::1]:53' });
    expect(config.nameServers).toEqual(['192.0.2.1', '[2001:db8::1]:53']);
  });

  it('have destinations for checks of exits in production alone, where there is an internet', () => {
    const production = { ...required, NODE_ENV: 'production', GATEWAY_HOST: 'a.test', GATEWAY_NAME_SERVERS: '9.9.9.9' };
    expect(destinations(required)).toEqual([]);
    expect(destinations(production)).toEqual(['www.apple.com:443', 'www.microsoft.com:443']);
    expect(destinations({ ...production, GATEWAY_CHECK_DESTINATIONS: 'none' })).toEqual([]);
    const own = { ...required, GATEWAY_CHECK_DESTINATIONS: 'example.com:8443, [2001:db8::1]:443' };
    expect(destinations(own)).toEqual(['example.com:8443', '[2001:db8::1]:443']);
  });

  it('require in production the host that customers see, and name servers, because those of the host may know names of its own network', () => {
    expect(() => parseConfig({ ...required, NODE_ENV: 'production' })).toThrow(
      /^GATEWAY_HOST is required.*\nGATEWAY_NAME_SERVERS is required/,
    );
    expect(parseConfig({ ...required, NODE_ENV: 'development' }).nameServers).toBeUndefined();
  });

  it('show the token to nobody on the way to the API', () => {
    for (const url of ['http://shop.example.com', 'http://203.0.113.7:3000', 'http://[2606:4700::1]:3000'])
      expect(parse(url)).toThrow(/^GATEWAY_CONTROL_URL must have https: [^.]*\. An API without https .* tunnel$/);
    const own = { address: '203.0.113.7' } as NetworkInterfaceInfo;
    vi.spyOn(os, 'networkInterfaces').mockReturnValueOnce({ eth0: [own] });
    for (const url of [
      'http://203.0.113.7:3000',
      'http://10.0.0.5:3000',
      'http://api:3000',
      'https://shop.example.com',
    ])
      expect(parse(url)().controlUrl).toBe(url);
  });

  it('contain the DNS ports, which no tunnel may use', () => {
    expect(parseConfig(required).dnsPorts).toEqual({ first: 20_000, last: 20_999 });
    const { dnsPorts } = parseConfig({ ...required, GATEWAY_DNS_PORTS: '21000-21099' });
    expect(dnsPorts).toEqual({ first: 21_000, last: 21_099 });
  });

  it.each([
    [{ GATEWAY_PORT: '70000' }, 'GATEWAY_PORT'],
    [{ GATEWAY_DNS_PORTS: '21099-21000' }, 'GATEWAY_DNS_PORTS'],
    [{ GATEWAY_DNS_PORTS: '20000' }, 'GATEWAY_DNS_PORTS'],
    [{ GATEWAY_CONTROL_URL: 'ftp://x' }, 'GATEWAY_CONTROL_URL must be a URL such as https://'],
    [{ GATEWAY_CONTROL_URL: 'shop.example.com:443' }, 'GATEWAY_CONTROL_URL must be a URL such as https://'],
    [{ GATEWAY_CONTROL_URL: 'https://shop.example.com?a=b' }, 'GATEWAY_CONTROL_URL must have no query'],
    [{ GATEWAY_HOST: 'http://a.test' }, 'GATEWAY_HOST must be a name or an IP address alone'],
    [{ GATEWAY_LISTEN_HOST: '0.0.0.0:1080' }, 'GATEWAY_LISTEN_HOST must be a name or an IP address alone'],
    [{ GATEWAY_DRAIN_SECONDS: '30s' }, 'GATEWAY_DRAIN_SECONDS must be a number, without a unit'],
    [{ GATEWAY_METRICS_PORT: '1.5' }, 'GATEWAY_METRICS_PORT must be a whole number'],
    [{ GATEWAY_TOKEN: '' }, 'GATEWAY_TOKEN'],
    [{ EXIT_LOST_SECONDS: '-1' }, 'EXIT_LOST_SECONDS'],
    [{ GATEWAY_GRANT_MEGABYTES_MAX: '0' }, 'GATEWAY_GRANT_MEGABYTES_MAX'],
    [{ GATEWAY_ALLOW_PRIVATE: 'yes' }, 'GATEWAY_ALLOW_PRIVATE'],
    [{ GATEWAY_NAME_SERVERS: 'resolver.test' }, 'GATEWAY_NAME_SERVERS'],
    [{ GATEWAY_CHECK_DESTINATIONS: 'example.com' }, 'GATEWAY_CHECK_DESTINATIONS must be like example.com:443'],
    [{ GATEWAY_STUN_SERVER: 'example.com' }, 'GATEWAY_STUN_SERVER must be like stun.example.com:3478'],
    [{ GATEWAY_WHOAMI_NAME: '192.0.2.1' }, 'GATEWAY_WHOAMI_NAME must be the name of a host'],
  ])('%j is refused by name, and no value is repeated', (change, name) => {
    expect(() => parseConfig({ ...required, ...change })).toThrow(name);
    expect(() => parseConfig({ ...required, ...change })).not.toThrow('secret-token');
  });
});
