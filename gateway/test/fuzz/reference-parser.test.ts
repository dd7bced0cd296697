import { describe, expect, it } from 'vitest';
import { createPlan } from './generator.ts';
import { basic } from './http-inputs.ts';
import { readResponse } from './messages.ts';
import { addressFor, addressOfName, nameFor } from './plan.ts';
import { parseClient } from './reference-parser.ts';

const login = { username: 'user', password: 'secret' };
const logins = new Map([[login.username, login]]);
const fields = `Host: a\r\nProxy-Authorization: ${basic(login)}\r\n`;
const get = (path: string) => `GET http://127.64.0.1:81${path} HTTP/1.1\r\n${fields}\r\n`;
const post = (bodyFields: string, body: string) =>
  `POST http://127.64.0.1:81/post HTTP/1.1\r\n${fields}${bodyFields}\r\n${body}`;
const read = (text: string) => parseClient(Buffer.from(text, 'latin1'), logins);
const paths = (text: string) => read(text).requests.map(({ path, isAllowed }) => `${path} ${isAllowed}`);

const response = (text: string, method = 'GET') => readResponse(Buffer.from(text, 'latin1'), 0, method);

describe('the reference parser of HTTP clients', () => {
  it.each([
    ['two requests', get('/1') + get('/2'), ['/1 true', '/2 true']],
    ['a body that looks like a request', post('Content-Length: 5\r\n', 'GET /'), ['/post true']],
    ['a body and then a request', post('Content-Length: 2\r\n', 'ok') + get('/2'), ['/post true', '/2 true']],
    [
      'chunks',
      post('Transfer-Encoding: chunked\r\n', '2;a=b\r\nok\r\n0\r\nX: 1\r\n\r\n') + get('/2'),
      ['/post true', '/2 true'],
    ],
    ['a length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n') + get('/2'), []],
    ['two lengths', post('Content-Length: 0\r\nContent-Length: 5\r\n', '') + get('/2'), []],
    ['an unknown coding', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n') + get('/2'), []],
    ['a malformed chunk', post('Transfer-Encoding: chunked\r\n', '0x0\r\n\r\n') + get('/2'), ['/post true']],
    ['a folded line', get('/1').replace('Host: a', 'Host: a\r\n b') + get('/2'), []],
    ['a bare line feed', get('/1').replace('Host: a\r\n', 'Host: a\n') + get('/2'), []],
    ['two hosts', get('/1').replace('Host: a', 'Host: a\r\nHost: b') + get('/2'), ['/1 false', '/2 true']],
    ['no login', get('/1').replace(/Proxy.*\r\n/, '') + get('/2'), ['/1 false', '/2 true']],
    ['a wrong password', get('/1').replace(basic(login), basic({ ...login, password: 'x' })), ['/1 false']],
    ['a late CONNECT', `${get('/1')}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${get('/2')}`, ['/1 true']],
    [
      'upgrades that are only offered',
      get('/1').replace('Host', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHost') +
        post('Connection: Upgrade\r\nUpgrade: chat\r\nContent-Length: 2\r\n', 'ok') +
        get('/2'),
      ['/1 true', '/post true', '/2 true'],
    ],
    ['a ws address', get('/1').replace('http:', 'ws:'), ['/1 true']],
    ['line ends first', `\r\n\n${get('/1')}\r\n${get('/2')}`, ['/1 true', '/2 true']],
    ['an upgrade', get('/1').replace('Host', 'Connection: Upgrade\r\nUpgrade: chat\r\nHost') + get('/2'), ['/1 true']],
  ])('parses %s', (_name, text, expected) => {
    expect(paths(text)).toEqual(expected);
  });

  it.each([
    ['127.64.0.1:81', { address: '127.64.0.1', port: 81 }],
    ['[::ffff:127.64.0.1]:81', { address: '127.64.0.1', port: 81 }],
    [`${nameFor(1)}:81`, { address: '127.64.0.1', port: 81 }],
    ['0x7f400001:81', { address: '127.64.0.1', port: 81 }],
    ['0.0.0.0:81', { address: '127.0.0.1', port: 81 }],
    ['other.test:81', undefined],
  ])('finds the destination of %s', (authority, destination) => {
    expect(read(get('/').replace('127.64.0.1:81', authority)).requests[0]?.destination).toEqual(destination);
    expect(read(`CONNECT ${authority} HTTP/1.1\r\n${fields}\r\nafter`)).toMatchObject({
      stage: 'tunnel',
      tunnel: destination,
    });
  });
});

describe('the reference parser of SOCKS5 clients', () => {
  const user = Buffer.concat([
    Buffer.from([1, 4]),
    Buffer.from('user'),
    Buffer.from([6]),
    Buffer.from('secret'),
  ]).toString('hex');
  it.each([
    ['0501', 'method'],
    ['050100', 'no-method'],
    ['050102', 'login'],
    [`0501020201`, 'login'],
    [`050102${user.replace('7573', '7574')}`, 'login-wrong'],
    [`050102${user}05010001`, 'request'],
    [`050102${user}0402000100000000`, 'request'],
    [`050102${user}0502000100000000ffff`, 'refused'],
    [`050102${user}05010002`, 'refused'],
    [`050102${user}050100017f4000010051abcd`, 'tunnel'],
  ])('with input %s reaches stage %s', (hex, stage) => {
    const { stage: reached, payload } = parseClient(Buffer.from(hex, 'hex'), logins);
    expect(reached).toBe(stage);
    expect(payload.toString('hex')).toBe(stage === 'tunnel' ? 'abcd' : '');
  });
});

describe('the reference parser of SOCKS4 clients', () => {
  const user = Buffer.from('user:secret').toString('hex');
  const name = Buffer.from(nameFor(1)).toString('hex');
  it.each([
    ['0401', 'method'],
    [`040100517f400001${user}`, 'method'],
    [`0401005100000001${user}00${name}`, 'method'],
    [`0401005100000001${user}0000`, 'method'],
    [`040100517f40000100abcd`, 'login-wrong'],
    [`040100517f400001${user}7800abcd`, 'login-wrong'],
    [`040200517f400001${user}00abcd`, 'refused'],
    [`040100517f400001${user}00abcd`, 'tunnel'],
    [`0401005100000001${user}00${name}00abcd`, 'tunnel'],
  ])('with input %s reaches stage %s', (hex, stage) => {
    const { stage: reached, payload, tunnel } = parseClient(Buffer.from(hex, 'hex'), logins);
    expect(reached).toBe(stage);
    expect(payload.toString('hex')).toBe(stage === 'tunnel' ? 'abcd' : '');
    expect(tunnel).toEqual(stage === 'tunnel' ? { address: '127.64.0.1', port: 81 } : undefined);
  });
});

describe('responses', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'GET', { state: 'complete', isUntilEnd: false }],
    ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok', 'GET', { state: 'incomplete' }],
    ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n', 'HEAD', { state: 'complete' }],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 'GET', { state: 'complete' }],
    ['HTTP/1.1 200 OK\r\n\r\nok', 'GET', { state: 'complete', isUntilEnd: true }],
    ['HTTP/1.1 204 None\r\n\r\n', 'GET', { state: 'complete', isUntilEnd: false }],
  ])('%j to %s are parsed', (text, method, expected) => {
    expect(response(text, method)).toMatchObject(expected);
  });

  it.each([
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/2.0 200 OK\r\n\r\n',
    'HTTP/1.1 200 a\u0001\r\n\r\n',
    'HTTP/1.1 200 OK\r\nA : b\r\n\r\n',
  ])('%j are malformed', (text) => {
    expect(response(text)).toBe('malformed');
  });
});

describe('an input', () => {
  const context = { originPort: 40_000, gatewayPort: 50_000, logins: [login], poorLogin: login };

  it('is the same for the same seed and index', () => {
    for (let index = 0; index < 200; index += 1)
      expect(createPlan(7, index, context)).toEqual(createPlan(7, index, context));
    expect(createPlan(8, 1, context)).not.toEqual(createPlan(7, 1, context));
  });

  it('has a unique destination', () => {
    const addresses = Array.from({ length: 100_000 }, (_, index) => addressFor(index));
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addressOfName(nameFor(77_777))).toBe(addressFor(77_777));
  });
});
