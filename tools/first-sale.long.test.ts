/**
 * The ten commands of docs/exits.md, in order, with a farm of modems on loopback. Its addresses are shown to the checks as public ones.
 * @module-tag long
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startModem } from '../api/src/dev/demo-modem.ts';
import { createLog } from '../api/src/process/log.ts';
import { buildChanged } from './build.mjs';
import { startProduct } from './product.mjs';
import { cloneDatabase } from './test-database.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const HEADING = "## From a vendor's list to the first sale\n";

/** In the place of the shop's own echo, which sees loopback. */
async function startEcho(): Promise<string> {
  const server = createServer((request, response) => {
    const nonce = new URL(request.url!, 'http://echo').searchParams.get('nonce');
    const address = request.socket.remoteAddress!.replace(/^127\.1\./, '93.184.');
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { nonce, address } }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/echo`;
}

test('the commands of docs/exits.md sell from a list, and its link changes the address', async () => {
  buildChanged(root);
  const folder = temporaryDirectory();
  const modems = [
    await startModem(1, createLog('farm', 'silent', false)),
    await startModem(2, createLog('farm', 'silent', false)),
  ];
  onTestFinished(async () => void (await Promise.all(modems.map((modem) => modem.stop()))));
  const lines = modems.map(({ port }) => `127.0.0.1:${port}|http://127.0.0.1:${port}/rotate?key=KEY`);
  fs.writeFileSync(path.join(folder, 'farm.txt'), lines.join('\r\n'));
  const database = await cloneDatabase(inject('postgresUrl'));
  onTestFinished(database.drop);
  const settings = {
    SECRET_KEY: randomBytes(32).toString('hex'),
    GATEWAY_TOKEN: randomBytes(32).toString('hex'),
    NODE_ENV: 'development',
    DATABASE_URL: database.url,
  };
  const env = { ...settings, GATEWAY_ALLOW_PRIVATE: 'true', EXIT_ECHO_URL: await startEcho(), LOG_LEVEL: 'silent' };
  const product = await startProduct({ databaseUrl: database.url, env, logFile: path.join(folder, 'product.log') });
  onTestFinished(product.stop);

  const [, section] = fs.readFileSync(path.join(root, 'docs/exits.md'), 'utf8').split(HEADING);
  const [, commands] = /^```sh\n([\s\S]*?)^```/m.exec(section!)!;
  expect(commands!.match(/^(?! )\S/gm)).toHaveLength(10);
  const variables = { SHOP: product.url, EMAIL: 'user@example.com', PASSWORD: 'demo-password' };
  const options = {
    cwd: folder,
    env: { ...settings, ...variables, HOME: folder, PATH: `${root}/bin:${process.env['PATH']}` },
  };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', commands!], options);
  expect(stderr).toContain('2 that wait for their address. A dry run: nothing was imported.');
  expect(stdout).toMatch(
    /^93\.184\.1\.1,0\.8,IE,-,-,-,Operator A,LTE,default,http,http:\/\/127\.0\.0\.1:\d+,,,,,\*\*\*\r$/m,
  );
  expect(stdout).toMatch(
    /^\{"data":\{"state":"COOLDOWN","oldIp":"93\.184\.(\d)\.1","newIp":"93\.184\.\1\.2","seconds":\d+\}\}/m,
  );
  expect(stdout).toMatch(/"currentIp":"93\.184\.\d\.2"/);
  expect(stdout + stderr).not.toContain('KEY');
}, 600_000);
