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

describe('compose.yaml', () => {
  const [programs, services] = read('compose.yaml').split('\nservices:\n') as [string, string];
  const serviceOf = (name: string) => services.split(/^ {2}(?=\w+:$)/m).find((text) => text.startsWith(`${name}:`))!;

  test('takes all rights away from every container', () => {
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: [no-new-privileges]', 'restart: always'])
      expect(programs).toContain(`\n  ${line}\n`);
    for (const name of ['postgres', 'migrate', ...Object.keys(PROGRAMS)])
      expect(serviceOf(name)).toContain('<<: *program');
  });

  test.each(Object.keys(PROGRAMS))(
    'starts the %s after a migration, and gives it the time that it needs to stop',
    (part) => {
      const service = serviceOf(part);
      expect(service).toContain(`command: [${part}]`);
      expect(service).toContain('migrate: { condition: service_completed_successfully }');
      const [, seconds] = /stop_grace_period: (\d+)s/.exec(service) ?? /stop_grace_period: (\d+)s/.exec(programs)!;
      expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(graceMs(part as keyof typeof PROGRAMS, {}));
    },
  );

  test('does not repeat a migration that fails', () => {
    expect(serviceOf('migrate')).toContain("restart: 'no'");
  });
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
