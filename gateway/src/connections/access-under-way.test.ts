import type { Access, Authorization } from '@cellhop/contract/gateway';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Exit } from '../exits/exit.ts';
import { defaultLimits } from '../limits.ts';
import { causeOf } from '../statuses.ts';
import { Connections } from './connections.ts';

const ID = '00000000-0000-4000-9000-000000000001';
const FIRST: Access = { revision: 1, passwordRevision: 1, allowList: [] };
const SECOND: Access = { revision: 2, passwordRevision: 2, allowList: [] };

function open(access: Access | undefined): Authorization {
  const exit = { kind: 'local-address', address: null } as const;
  const totals = { usedBytes: 0, uploadedBytes: 0, grantedBytes: 1000 };
  return { isAuthorized: true, connectionId: ID, exit, ...totals, state: 'open', access };
}

/** A control plane whose answers the test gives, by password. */
function start() {
  const waiting = new Map<string, (answer: Authorization) => void>();
  const authorize = ({ password }: { password: string }) =>
    new Promise<Authorization>((answer) => void waiting.set(password, answer));
  const connections = new Connections({
    control: { authorize, authorizeAddress: () => Promise.reject(new Error('not asked')) },
    limits: defaultLimits,
    log: pino({ level: 'silent' }),
    exits: { get: () => ({ isLost: false }) as Exit },
    reportSoon: () => {},
    ended: () => {},
  });
  return {
    connections,
    answer: (password: string, authorization: Authorization) => waiting.get(password)!(authorization),
  };
}

const login = (password: string) => ({ username: 'user', password });
const told = (access: Access) => ({ ended: [], changed: [{ connectionId: ID, access }] });

it('a change that is told before the answer which it overtook refuses the old password', async () => {
  const { connections, answer } = start();
  const old = connections.authorize(login('old')).catch(causeOf);
  expect(connections.told(told(SECOND))).toBe(false);
  answer('old', open(FIRST));
  expect(await old).toBe('credentials-wrong');
  expect(connections.find(login('old'))).toBeUndefined();
});

it('an answer from before a change that is known takes no old password back', async () => {
  const { connections, answer } = start();
  const [old, next] = [connections.authorize(login('old')).catch(causeOf), connections.authorize(login('new'))];
  answer('new', open(SECOND));
  await next;
  answer('old', open(FIRST));
  expect(await old).toBe('credentials-wrong');
  expect(connections.find(login('new'))?.connection.id).toBe(ID);
  expect(connections.find(login('old'))).toBeUndefined();
});

it('a change is news once', async () => {
  const { connections, answer } = start();
  const opened = connections.authorize(login('old'));
  answer('old', open(FIRST));
  await opened;
  expect(connections.told(told(FIRST))).toBe(false);
  expect(connections.told(told(SECOND))).toBe(true);
  expect(connections.told(told(SECOND))).toBe(false);
});
