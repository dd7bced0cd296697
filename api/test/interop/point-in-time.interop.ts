/** A restore to a minute by pgBackRest over SFTP, with the files of deploy/ and the programs of Debian 13, which run in its directory. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { createCtx, type Ctx } from '../../src/ctx.ts';
import { checkInvariants } from '../../src/db/check-invariants.ts';
import { type Database, openDatabase } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { registerNode } from '../../src/modules/gateway/gateway.service.ts';
import { createInvoice } from '../../src/modules/invoices/invoices.service.ts';
import { skipShown } from '../../src/modules/invoices/restored.service.ts';
import { watchChain } from '../../src/modules/invoices/watch.service.ts';
import { parseAccountKey } from '../../src/payments/derive/account-key.ts';
import { deriveAddress } from '../../src/payments/derive/addresses.ts';
import { loadConfig } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { seed } from '../../src/seed/seed.ts';
import { binary, waitFor } from '../chains/local-node.ts';
import { ScriptedChain } from '../scripted-chain.ts';

const deploy = fileURLToPath(new URL('../../../deploy/pgbackrest/', import.meta.url));
const system = binary('DEBIAN_13');
const witnessFile = path.join(system, 'srv/witness.json');
const START_LIMIT_MS = 60_000;
/** In the system. */
const DATA = '/var/lib/postgresql/17/main';
const KEY = '/var/lib/postgresql/.ssh/id_ed25519';
const account = parseAccountKey(
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
);

let sshd: ChildProcess;
let database: Database;
let ctx: Ctx;

const inSystem = (file: string) => path.join(system, file);
function asRoot(script: string): string {
  const { status, stdout, stderr } = spawnSync('chroot', [system, 'sh', '-euc', script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script}: ${stdout}${stderr}`);
  return stdout;
}
const asPostgres = (script: string) => asRoot(`runuser --user postgres -- sh -euc '${script}'`);
const pgbackrest = (...args: string[]) => asPostgres(`pgbackrest --stanza=cellhop ${args.join(' ')}`);
const control = (order: string) =>
  asPostgres(`/usr/lib/postgresql/17/bin/pg_ctl ${order} -w -D ${DATA} -l /var/lib/postgresql/log -m fast > /dev/null`);

beforeAll(async () => {
  const [port, sftpPort] = [await freePort(), await freePort()];
  asRoot(`rm -rf ${DATA} /var/lib/postgresql/.ssh /var/lib/postgresql/log /srv/cellhop-backup /run/sshd /var/lib/pgbackrest/lock
    id cellhop-backup || useradd --system --home-dir /srv/cellhop-backup --shell /usr/sbin/nologin cellhop-backup
    rm -f /etc/ssh/cellhop-backup.pub /srv/witness.json; mkdir -p /run/sshd /srv/cellhop-backup/repository; chmod 1777 /dev/shm; chown cellhop-backup: /srv/cellhop-backup/repository`);
  asPostgres(`mkdir -m 700 -p /var/lib/postgresql/.ssh; ssh-keygen -q -t ed25519 -N "" -f ${KEY}`);
  fs.writeFileSync(inSystem('/etc/ssh/cellhop-backup.pub'), fs.readFileSync(inSystem(`${KEY}.pub`)));
  fs.copyFileSync(path.join(deploy, 'sshd.conf'), inSystem('/etc/ssh/sshd_config.d/cellhop.conf'));
  const options = ['-D', '-e', '-p', String(sftpPort), '-o', 'ListenAddress=127.0.0.1', '-o', 'PidFile=none'];
  sshd = spawn('chroot', [system, '/usr/sbin/sshd', ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  await waitFor('sshd', START_LIMIT_MS, async () =>
    asPostgres(
      `ssh-keyscan -p ${sftpPort} 127.0.0.1 > /var/lib/postgresql/.ssh/known_hosts; test -s /var/lib/postgresql/.ssh/known_hosts`,
    ),
  );
  const settings = fs
    .readFileSync(path.join(deploy, 'sftp.conf'), 'utf8')
    .replace('backup.example.com', `127.0.0.1\nrepo1-sftp-host-port=${sftpPort}`)
    .replace('REPLACE', 'a secret of this test')
    .replace('[cellhop]', `[cellhop]\npg1-port=${port}`);
  fs.writeFileSync(inSystem('/etc/pgbackrest.conf'), settings);
  asPostgres(`/usr/lib/postgresql/17/bin/initdb -D ${DATA} -A trust -E UTF8 --no-sync > /dev/null`);
  const own = `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '/var/run/postgresql'\n`;
  fs.appendFileSync(
    inSystem(`${DATA}/postgresql.conf`),
    own + fs.readFileSync(path.join(deploy, 'postgresql.conf'), 'utf8'),
  );
  asRoot('mkdir -p /var/run/postgresql; chown postgres: /var/run/postgresql');
  control('start');
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await migrate(url);
  open(url);
  await registerNode(ctx);
  await seed(ctx);
  await takeInvoices();
}, 300_000);

afterAll(async () => {
  await database.close();
  control('stop');
  sshd.kill('SIGTERM');
});

function open(url: string): void {
  const config = loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: url,
    SECRET_KEY: 'a secret key for tests of at least 32 characters',
    GATEWAY_TOKEN: 'a token of a gateway for tests',
  });
  database = openDatabase(url, 4);
  ctx = createCtx(database, config, createLog('test', 'silent', false));
}

async function takeInvoices(): Promise<void> {
  Object.assign(ctx.config, { isDevelopment: false, witnessFile });
  ctx.config.payments.accounts = { evm: account };
  ctx.config.payments.urls = { ethereum: ['http://127.0.0.1:1'] };
  await ctx.db.query(
    `insert into exchange_rates (asset, rate_e12, source_count, accepted_at) values ('USDT', '1000000000000', 2, now())
     on conflict do nothing`,
  );
  await ctx.db.query('update chain_cursors set next_poll_at = now()');
  await watchChain(ctx, 'ethereum', new ScriptedChain());
}

/** @returns its address */
async function newInvoice(email: string): Promise<string> {
  const [user] = await ctx.db.query<{ id: string }>('select id from users where email = $1', [email]);
  const { address } = await createInvoice(ctx, { userId: user!.id }, { currency: 'USDT_ERC20', amount: 25 });
  return address;
}

test('a second between two invoices is restored, and the witness knows the address of the lost one', async () => {
  pgbackrest('stanza-create');
  pgbackrest('check');
  pgbackrest('--type=full', 'backup');
  expect(await newInvoice('user@example.com')).toBe(deriveAddress('evm', account, 1n));
  const [{ now } = { now: '' }] = await ctx.db.query<{ now: string }>('select clock_timestamp()::text as now');
  expect(await newInvoice('admin@example.com')).toBe(deriveAddress('evm', account, 2n));
  await ctx.db.query('select pg_switch_wal()');
  // Waits until the log of changes has arrived.
  pgbackrest('check');
  const stored = asRoot('find /srv/cellhop-backup/repository -type f').split('\n');
  expect(stored.some((file) => file.endsWith('.zst'))).toBe(true);
  await database.close();

  control('stop');
  pgbackrest('--delta', '--type=time', `--target="${now}"`, '--target-action=promote', 'restore');
  control('start');
  const url = ctx.config.databaseUrl;
  const { config, log } = ctx;
  database = openDatabase(url, 4);
  ctx = createCtx(database, config, log);
  await expect
    .poll(async () => (await ctx.db.query<{ is: boolean }>('select pg_is_in_recovery() as is'))[0], {
      timeout: 200_000,
    })
    .toEqual({ is: false });
  expect(await ctx.db.query('select derivation_index as index from deposit_addresses')).toEqual([{ index: 1n }]);
  expect(await checkInvariants(ctx)).toEqual([]);
  await expect(newInvoice('admin@example.com')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await skipShown(ctx, witnessFile, undefined)).toMatchObject({ skipped: [{ space: 'evm', count: 1n }] });
  expect(await newInvoice('admin@example.com')).toBe(deriveAddress('evm', account, 3n));
}, 300_000);

test('nothing in the repository can be read without its secret', () => {
  const files = asRoot('find /srv/cellhop-backup/repository -type f').trim().split('\n');
  for (const file of files) expect(fs.readFileSync(inSystem(file)).subarray(0, 8).toString()).toBe('Salted__');
});

test('the file for S3 has no option that pgBackRest does not know', () => {
  const file = '/etc/pgbackrest-s3.conf';
  const settings = fs
    .readFileSync(path.join(deploy, 's3.conf'), 'utf8')
    .replace(
      /^repo1-s3-endpoint=.*$/m,
      'repo1-s3-endpoint=127.0.0.1\nrepo1-storage-port=1\nio-timeout=1\nprotocol-timeout=2\ndb-timeout=1',
    );
  fs.writeFileSync(inSystem(file), settings);
  const order = `pgbackrest --stanza=cellhop --config=${file} info 2>&1`;
  const { stdout } = spawnSync('chroot', [system, 'runuser', '--user', 'postgres', '--', 'sh', '-c', order], {
    encoding: 'utf8',
  });
  expect(stdout).toContain('127.0.0.1');
  expect(stdout).not.toMatch(/invalid|WARN/);
});
