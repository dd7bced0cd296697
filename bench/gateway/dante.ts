import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../tools/ports.mjs';
import { pinToCore, PROXY_CORE } from './processes.ts';
import type { Peer } from './report.ts';

const DANTE = '/usr/sbin/danted';
const noWaits = () => Promise.resolve({ count: 0, seconds: 0 });

/** Runs without authentication: dante checks credentials against system accounts, which a benchmark must not create. */
export async function startDante(directory: string): Promise<Peer[]> {
  if (!existsSync(DANTE)) {
    console.log('dante is not installed (Debian package dante-server); skipped');
    return [];
  }
  const port = await freePort();
  const configuration = join(directory, 'danted.conf');
  const lines = [
    `internal: 127.0.0.1 port = ${port}`,
    'external: lo',
    'socksmethod: none',
    'clientmethod: none',
    'client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }',
    'socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 protocol: tcp udp }',
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  const child = pinToCore(
    spawn(DANTE, ['-f', configuration, '-p', join(directory, 'danted.pid')], { stdio: 'ignore' }),
    PROXY_CORE,
  );
  if (!(await isListening(port))) {
    console.log('dante did not start; skipped');
    return [];
  }
  console.log('dante runs without authentication, which is an advantage for it');
  return [{ name: 'dante, SOCKS5', via: 'socks5-open', port, grantWaits: noWaits, processId: child.pid }];
}

async function isListening(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((fulfil) => {
      socket.once('connect', () => fulfil(true)).once('error', () => fulfil(false));
    });
    socket.destroy();
    if (isOpen) return true;
    await new Promise((fulfil) => setTimeout(fulfil, 100));
  }
  return false;
}
