/** The files of deploy/ with the programs that read them: systemd, Caddy and nginx of Debian. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { binary, waitFor } from '../chains/local-node.ts';

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const UNITS = [
  'cellhop-api.service',
  'cellhop-worker.service',
  'cellhop-gateway@a.service',
  'cellhop-migrate.service',
  'cellhop-backup.service',
  'cellhop-pgbackrest.service',
  'cellhop-failure@x.service',
];
const START_LIMIT_MS = 30_000;

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'deploy-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const analyze = (...args: string[]) =>
  spawnSync(binary('SYSTEMD_ANALYZE'), [...args, `--root=${folder}`], { encoding: 'utf8' });

describe('systemd', () => {
  beforeAll(() => {
    const units = path.join(folder, 'etc/systemd/system');
    fs.cpSync('/lib/systemd/system', path.join(folder, 'usr/lib/systemd/system'), {
      recursive: true,
      dereference: true,
    });
    fs.cpSync(path.join(deploy, 'systemd'), units, { recursive: true });
    // As Debian's starts PostgreSQL.
    fs.writeFileSync(
      path.join(units, 'postgresql@.service'),
      '[Service]\nType=forking\nExecStart=/opt/cellhop/current/bin/cellhop\nPIDFile=/run/postgresql/%i.pid\n',
    );
    for (const program of ['opt/cellhop/current/bin/cellhop', 'usr/bin/logger', 'bin/sh']) {
      fs.mkdirSync(path.dirname(path.join(folder, program)), { recursive: true });
      fs.writeFileSync(path.join(folder, program), '#!/bin/sh\n', { mode: 0o755 });
    }
  });

  it('finds no mistake in the units, and in that of PostgreSQL with its drop-in', () => {
    const { stdout, stderr, status } = analyze(
      'verify',
      '--man=no',
      ...UNITS,
      'cellhop.target',
      'cellhop-backup.timer',
      'cellhop-pgbackrest.timer',
      'postgresql@17-main.service',
    );
    expect([stdout, stderr, status]).toEqual(['', '', 0]);
  });

  it.each(UNITS)('rates the exposure of %s as 2.0 or less', (unit) => {
    const { stdout } = analyze('security', '--offline=yes', '--no-pager', unit);
    expect(Number(/exposure level for \S+ (\d+\.\d)/.exec(stdout)?.[1])).toBeLessThanOrEqual(2);
  });
});

it('PostgreSQL of compose.yaml starts once on its volume, whatever the process ids in its containers are', async () => {
  const [volume, programs] = [path.join(folder, 'volume'), path.join(folder, 'programs')];
  for (const each of [path.join(volume, 'data'), programs]) fs.mkdirSync(each, { recursive: true });
  fs.writeFileSync(path.join(programs, 'postgres'), '#!/bin/sh\necho started; exec sleep 600\n', { mode: 0o755 });
  const script = fs
    .readFileSync(path.join(deploy, 'postgres.sh'), 'utf8')
    .replace('/var/lib/postgresql', volume)
    .replace('/usr/lib/postgresql/*/bin', programs);
  const first = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(first.stdout, 'data');
  const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([78, 'Another container runs on this database: stop it first.\n']);
  first.kill();
  await once(first, 'exit');
});

describe.each(['caddy', 'nginx'] as const)('%s', (name) => {
  let upstream: http.Server;
  let proxy: ChildProcess;
  let port: number;
  const received: http.IncomingMessage[] = [];
  /** The log of the proxy. */
  let logged = '';
  /** Ends what was sent to the stream. */
  let endStream: () => void;
  beforeAll(async () => {
    // The limit of the API.
    upstream = http.createServer({ maxHeaderSize: 32_768 }, (request, response) => {
      received.push(request);
      request.resume().on('end', () => {
        if (request.url!.endsWith('/broken')) return request.socket.destroy();
        if (request.url !== '/stream') return response.end('from the API');
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
        endStream = () => response.end();
        return response;
      });
    });
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    port = await freePort();
    const api = `127.0.0.1:${(upstream.address() as { port: number }).port}`;
    proxy = name === 'caddy' ? await startCaddy(api) : await startNginx(api);
    proxy.stderr!.setEncoding('utf8').on('data', (text: string) => (logged += text));
    await waitFor(name, START_LIMIT_MS, () => get('/'));
  });
  afterAll(async () => {
    proxy.kill('SIGTERM');
    await once(proxy, 'exit');
    upstream.closeAllConnections();
    upstream.close();
  });

  async function startCaddy(api: string): Promise<ChildProcess> {
    const env = {
      HOME: folder,
      CADDY_ADMIN: `127.0.0.1:${await freePort()}`,
      CELLHOP_SITE: `http://127.0.0.1:${port}`,
      CELLHOP_API: api,
    };
    return spawn(binary('CADDY'), ['run', '--config', path.join(deploy, 'Caddyfile')], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  /** Its example with other ports and a certificate of this test. */
  async function startNginx(api: string): Promise<ChildProcess> {
    const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=a',
    ];
    spawnSync(binary('OPENSSL'), [...request, '-keyout', key, '-out', certificate]);
    const plainPort = await freePort();
    const site = fs
      .readFileSync(path.join(deploy, 'nginx.conf'), 'utf8')
      .replaceAll(/listen \[::\].*\n/g, '')
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replace('listen 443 ', `listen 127.0.0.1:${port} `)
      .replaceAll(/\/etc\/letsencrypt\/\S*fullchain.pem/g, certificate)
      .replaceAll(/\/etc\/letsencrypt\/\S*privkey.pem/g, key)
      .replaceAll('127.0.0.1:3000', api);
    const file = path.join(folder, 'nginx.conf');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (each) => `${each}_temp_path ${folder}/${each};`,
    );
    fs.writeFileSync(
      file,
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log ${folder}/access.log; ${paths.join(' ')}\n${site}\n}`,
    );
    return spawn(binary('NGINX'), ['-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
  }

  interface Options {
    headers?: http.OutgoingHttpHeaders;
    body?: Buffer;
  }
  function open(url: string, { headers, body }: Options = {}): Promise<http.IncomingMessage> {
    const client = name === 'caddy' ? http : https;
    const options = { host: '127.0.0.1', port, path: url, headers, rejectUnauthorized: false };
    return new Promise((resolve, reject) => {
      client
        .request({ ...options, method: body ? 'POST' : 'GET' }, resolve)
        .on('error', reject)
        .end(body);
    });
  }
  async function get(url: string, options: Options = {}) {
    const response = await open(url, options);
    const text = Buffer.concat(await response.toArray()).toString();
    return { status: response.statusCode, text };
  }

  it('passes a request on, with the address of the client alone', async () => {
    received.length = 0;
    const headers = { 'x-forwarded-for': '198.51.100.1, 198.51.100.2' };
    expect((await get('/v1/echo?a=b', { headers })).text).toBe('from the API');
    expect(received[0]!.url).toBe('/v1/echo?a=b');
    expect(received[0]!.headers['x-forwarded-for']).toBe('127.0.0.1');
  });

  it.each([
    '/internal/gateway/hello',
    '/internal',
    '/metrics',
    '/%69nternal/gateway/hello',
    '//internal/x',
    '/a/../metrics',
  ])('closes %s', async (url) => {
    received.length = 0;
    expect((await get(url)).status).toBe(404);
    expect(received).toEqual([]);
  });

  it('passes on what only resembles them', async () => {
    expect((await get('/internal-affairs')).status).toBe(200);
    expect((await get('/metrics.html')).status).toBe(200);
  });

  it('does not hold back a stream', async () => {
    const response = await open('/stream');
    const [chunk] = (await once(response, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('data: first\n\n');
    endStream();
    await response.resume().toArray();
  });

  it('logs an error of the API, and never the secret of a link that changes an address', async () => {
    const secret = 'ab'.repeat(20);
    for (const url of [`/v1/rotate/${secret}`, `/v1/rotate/${secret}/broken`, '/v1/broken'])
      expect((await get(url)).status).toBe(url.endsWith('/broken') ? 502 : 200);
    await expect.poll(() => logged).toContain('/v1/broken');
    const accessLog = name === 'nginx' ? fs.readFileSync(path.join(folder, 'access.log'), 'utf8') : '/v1/broken';
    expect(accessLog).toContain('/v1/broken');
    expect(logged + accessLog).not.toContain(secret);
  });

  it('takes the longest search; nginx refuses a body that the API would refuse', async () => {
    expect((await get(`/v1/proxies?cities=${'a'.repeat(27_000)}`)).status).toBe(200);
    expect((await get('/v1/x', { body: Buffer.alloc(2_000_000) })).status).toBe(
      // Caddy 2.6.2 would answer 502.
      name === 'caddy' ? 200 : 413,
    );
  });
});
