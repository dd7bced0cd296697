import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../gateway/src/config.ts';
import { graceMs } from './programs.mjs';

const read = (file: string) => fs.readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8');
const PROGRAMS = { api: 'cellhop-api.service', worker: 'cellhop-worker.service', gateway: 'cellhop-gateway@.service' };

describe.each(Object.entries(PROGRAMS))('the unit of %s', (part, file) => {
  const unit = read(`systemd/${file}`);
  test('starts it again for good, unless its settings are wrong, and then reports it', () => {
    expect(unit).toContain(`\nExecStart=/opt/cellhop/current/bin/cellhop ${part}\n`);
    for (const line of [
      'Restart=always',
      'StartLimitIntervalSec=0',
      'RestartPreventExitStatus=78',
      'OnFailure=cellhop-failure@%n.service',
    ])
      expect(unit.split('\n')).toContain(line);
  });

  test('gives it the time that it needs to stop', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit)!;
    expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(graceMs(part as keyof typeof PROGRAMS, {}));
  });
});

test('a migration is not started again, and runs before API and worker', () => {
  expect(read('systemd/cellhop-migrate.service')).not.toContain('\nRestart=');
  for (const file of [PROGRAMS.api, PROGRAMS.worker])
    expect(read(`systemd/${file}`)).toMatch(/^After=.*\bcellhop-migrate\.service\b/m);
});

test('a timer starts a backup every day, and one that fails is reported', () => {
  expect(read('systemd/cellhop-backup.timer')).toMatch(/^OnCalendar=\*-\*-\* \d\d:00:00$/m);
  const unit = read('systemd/cellhop-backup.service');
  expect(unit).toContain('\nExecStart=/opt/cellhop/current/bin/cellhop backup\n');
  expect(unit).toContain('\nOnFailure=cellhop-failure@%n.service\n');
  expect(unit).not.toContain('\nRestart=');
});

test('the firewall opens the ports that the gateway listens on by default', () => {
  const { port, dnsPorts, udpPorts } = parseConfig({ GATEWAY_CONTROL_URL: 'http://localhost', GATEWAY_TOKEN: 't' });
  const rules = read('nftables.conf');
  for (const rule of [
    `tcp dport ${port} accept`,
    `tcp dport ${dnsPorts.first}-${dnsPorts.last} accept`,
    `udp dport ${dnsPorts.first}-${dnsPorts.last} accept`,
    `udp dport ${udpPorts.first}-${udpPorts.last} accept`,
  ])
    expect(rules).toContain(`    ${rule}\n`);
  expect(rules).not.toMatch(/\b(?:3000|5432)\b/);
});
