import type { Access, Authorization } from '@cellhop/contract/gateway';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Exit } from '../exits/exit.ts';
import { defaultLimits } from '../limits.ts';
import { toCause } from '../statuses.ts';
import { Connections } from './connections.ts';

const ID = '00000000-0000-4000-9000-000000000001';
const FIRST: Access = { revision: 1, passwordRevision: 1, allowList: [] };
const SECOND: Access = { revision: 2, passwordRevision: 2, allowList: [] };

function open(access: Access): Authorization {
  const exit = { kind: 'local-address', id: ID, address: null } as const;
  const totals = { usedBytes: 0, uploadedBytes: 0, grantedBytes: 1000 };
  return { isAuthorized: true, connectionId: ID, exit, ...totals, state: 'open', access, dnsPort: null };
}

/** A control plane whose responses the test sends, by password. */
function start() {
  const waiting = new Map<string, (authorization: Authorization) => void>();
  const authorize = ({ password }: { password: string }) =>
    new Promise<Authorization>((respond) => void waiting.set(password, respond));
  const connections = new Connections({
    control: { authorize, authorizeAddress: () => Promise.reject(new Error('unexpected call')) },
    limits: defaultLimits,
    log: pino({ level: 'silent' }),
    exits: { get: () => ({ isLost: false }) as Exit },
    onEnd: () => {},
    dnsPorts: { opened: () => {}, closed: () => {}, accessChanged: () => {} },
  });
  return {
    connections,
    respond: (password: string, authorization: Authorization) => waiting.get(password)!(authorization),
  };
}

const login = (password: string) => ({ username: 'user', password });
const changeTo = (access: Access) => ({ ended: [], changed: [{ connectionId: ID, access }] });

it('a change that overtakes the response of an authorization refuses the old password', async () => {
  const { connections, respond } = start();
  const old = connections.authorize(login('old')).catch(toCause);
  expect(connections.applyChanges(changeTo(SECOND))).toBe(false);
  respond('old', open(FIRST));
  expect(await old).toBe('invalid-credentials');
  expect(connections.find(login('old'))).toBeUndefined();
});

it('a late response with an older revision does not restore the old password', async () => {
  const { connections, respond } = start();
  const [old, next] = [connections.authorize(login('old')).catch(toCause), connections.authorize(login('new'))];
  respond('new', open(SECOND));
  await next;
  respond('old', open(FIRST));
  expect(await old).toBe('invalid-credentials');
  expect(connections.find(login('new'))?.connection.id).toBe(ID);
  expect(connections.find(login('old'))).toBeUndefined();
});

it('a repeated change is reported as known', async () => {
  const { connections, respond } = start();
  const opened = connections.authorize(login('old'));
  respond('old', open(FIRST));
  await opened;
  expect(connections.applyChanges(changeTo(FIRST))).toBe(false);
  expect(connections.applyChanges(changeTo(SECOND))).toBe(true);
  expect(connections.applyChanges(changeTo(SECOND))).toBe(false);
});
