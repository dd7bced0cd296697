/** The programs that `throughput.ts` compares, as their users configure them, with a login if they have one, and without access logs. */
import { acceleratorFile } from '../../gateway/test/accelerator.ts';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../tools/ports.mjs';
import { EACH_USERNAME, LIMITED_USERNAME, PASSWORD, UPSTREAM_USERNAME, USERNAME } from './credentials.ts';
import { hashedPassword, startDante } from './dante.ts';
import { isListening, launchProgram, PROXY_CORE, request, start } from './processes.ts';

export interface Program {
  readonly name: string;
  readonly via: 'none' | 'socks5' | 'connect';
  readonly port: number;
  readonly processId: number | undefined;
  readonly username: string;
  /** Titles of the only rows that it takes part in. */
  readonly rows?: readonly string[];
}

export interface Waits {
  readonly count: number;
  /** Sum over all tunnels. */
  readonly seconds: number;
}

interface GatewayEnvironment {
  readonly url: string;
  readonly token: string;
  readonly namePort: number;
}

interface DebianProgram {
  readonly name: string;
  readonly file: string;
  /** Another file without which it does not start. */
  readonly module?: string;
  readonly package: string;
  readonly via: Program['via'];
  configure(ports: { readonly port: number; readonly originPort: number }, directory: string): readonly string[];
}

const NGINX_STREAM = '/usr/lib/nginx/modules/ngx_stream_module.so';
export const GATEWAY_SOCKS5 = 'gateway, SOCKS5';
export const GATEWAY_CONNECT = 'gateway, CONNECT';

export async function startGatewayProgram({ url, token, namePort }: GatewayEnvironment) {
  const accelerator = process.env['GATEWAY_ACCELERATOR'] === 'off' ? undefined : acceleratorFile;
  const environment = {
    CONTROL_URL: url,
    CONTROL_TOKEN: token,
    NAME_SERVER: `127.0.0.1:${namePort}`,
    ...(accelerator !== undefined && { ACCELERATOR: accelerator }),
  };
  const { child, processId, ready } = await start<{ port: number; relay: string }>(
    'gateway-peer',
    PROXY_CORE,
    environment,
  );
  console.log(`Relay of the gateway: ${ready.relay}`);
  const gateway = { port: ready.port, processId };
  const programs: readonly Program[] = [
    { name: GATEWAY_SOCKS5, via: 'socks5', username: USERNAME, ...gateway },
    { name: GATEWAY_CONNECT, via: 'connect', username: USERNAME, ...gateway },
    {
      name: 'gateway, limit of 1 Gbit/s',
      via: 'socks5',
      username: LIMITED_USERNAME,
      ...gateway,
      rows: ['8 streams down', '100 x 10 Mbit/s'],
    },
    {
      name: 'gateway, a connection each',
      via: 'socks5',
      username: EACH_USERNAME,
      ...gateway,
      rows: ['100 x 10 Mbit/s', '20 x 100 Mbit/s'],
    },
    {
      name: 'gateway, upstream exit',
      via: 'socks5',
      username: UPSTREAM_USERNAME,
      ...gateway,
      rows: ['8 streams down', 'new tunnels'],
    },
  ];
  return { programs, grantWaits: () => request<Waits>(child, { kind: 'grant-waits' }) };
}

/** Programs that nobody has used, with one of the gateway for each of its protocols. */
export async function startFreshPrograms(
  environment: GatewayEnvironment,
  originPort: number,
  directory: string,
): Promise<Program[]> {
  const gateways = [];
  for (const name of [GATEWAY_SOCKS5, GATEWAY_CONNECT]) {
    const { programs } = await startGatewayProgram(environment);
    gateways.push(...programs.filter((program) => program.name === name));
  }
  return [...gateways, ...(await startPeers(originPort, directory))];
}

export async function startPeers(originPort: number, directory: string): Promise<Program[]> {
  const proxyChain = await start<{ port: number }>('proxy-chain-peer', PROXY_CORE, {
    BENCH_USERNAME: USERNAME,
    BENCH_PASSWORD: PASSWORD,
  });
  const peers: Program[] = [
    { name: 'no proxy', via: 'none', port: originPort, processId: undefined, username: '' },
    {
      name: 'proxy-chain',
      via: 'connect',
      port: proxyChain.ready.port,
      processId: proxyChain.processId,
      username: USERNAME,
    },
  ];
  const dante = await startDante(directory);
  if (dante) peers.push({ name: 'dante', via: 'socks5', username: USERNAME, ...dante });
  chmodSync(directory, 0o755); // Squid reads its files as another user.
  for (const program of debianPrograms) {
    const { name, file, module = file, via } = program;
    if (!existsSync(file) || !existsSync(module)) {
      console.log(`Missing: ${name} (Debian package ${program.package})`);
      continue;
    }
    const port = await freePort();
    const child = launchProgram(PROXY_CORE, file, ...program.configure({ port, originPort }, directory));
    child.stdout?.resume();
    if (!(await isListening(port))) throw new Error(`${name} did not start`);
    peers.push({ name, via, port, processId: child.pid, username: USERNAME });
  }
  return peers;
}

/** Writes a configuration. @returns its path */
function write(directory: string, name: string, lines: readonly string[]): string {
  const path = join(directory, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const debianPrograms: readonly DebianProgram[] = [
  {
    name: 'squid',
    file: '/usr/sbin/squid',
    package: 'squid',
    via: 'connect',
    configure({ port }, directory) {
      const passwords = write(directory, 'squid-passwords', [`${USERNAME}:${hashedPassword()}`]);
      const configuration = write(directory, 'squid.conf', [
        `http_port 127.0.0.1:${port}`,
        `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${passwords}`,
        'acl authenticated proxy_auth REQUIRED',
        'http_access allow authenticated',
        'http_access deny all',
        'cache deny all',
        'access_log none',
        'cache_log /dev/null',
        'pid_filename none',
        'pinger_enable off',
        'max_filedescriptors 16384',
        'visible_hostname bench',
      ]);
      return ['-N', '-f', configuration];
    },
  },
  {
    name: 'tinyproxy',
    file: '/usr/bin/tinyproxy',
    package: 'tinyproxy',
    via: 'connect',
    configure({ port }, directory) {
      const lines = [
        `Port ${port}`,
        'Listen 127.0.0.1',
        'Timeout 600',
        'MaxClients 5000',
        `BasicAuth ${USERNAME} ${PASSWORD}`,
        `LogFile "${join(directory, 'tinyproxy.log')}"`,
        'LogLevel Critical',
      ];
      return ['-d', '-c', write(directory, 'tinyproxy.conf', lines)];
    },
  },
  {
    name: 'microsocks',
    file: '/usr/bin/microsocks',
    package: 'microsocks',
    via: 'socks5',
    configure: ({ port }) => ['-i', '127.0.0.1', '-p', String(port), '-u', USERNAME, '-P', PASSWORD],
  },
  haproxy('HAProxy, no login', []),
  haproxy('HAProxy with splice, no login', ['  option splice-auto']),
  {
    name: 'nginx stream, no login',
    file: '/usr/sbin/nginx',
    module: NGINX_STREAM,
    package: 'nginx, libnginx-mod-stream',
    via: 'none',
    configure({ port, originPort }, directory) {
      return [
        '-c',
        write(directory, 'nginx.conf', [
          `load_module ${NGINX_STREAM};`,
          'daemon off;',
          'master_process off;',
          `pid ${join(directory, 'nginx.pid')};`,
          'error_log /dev/null;',
          'worker_rlimit_nofile 16384;',
          'events { worker_connections 16384; }',
          `stream { server { listen 127.0.0.1:${port}; proxy_pass 127.0.0.1:${originPort}; } }`,
        ]),
      ];
    },
  },
];

/** A forwarder to one destination, without SOCKS, HTTP or accounts: what an event loop in C costs at least. */
function haproxy(name: string, options: readonly string[]): DebianProgram {
  return {
    name,
    file: '/usr/sbin/haproxy',
    package: 'haproxy',
    via: 'none',
    configure({ port, originPort }, directory) {
      const configuration = write(directory, `haproxy-${options.length}.cfg`, [
        'global',
        '  maxconn 5000',
        'defaults',
        '  mode tcp',
        '  timeout connect 5s',
        '  timeout client 50s',
        '  timeout server 50s',
        ...options,
        'listen bench',
        `  bind 127.0.0.1:${port}`,
        `  server origin 127.0.0.1:${originPort}`,
      ]);
      return ['-db', '-f', configuration];
    },
  };
}
