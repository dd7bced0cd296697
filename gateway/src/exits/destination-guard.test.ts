import { expect, test } from 'vitest';
import { isDestinationAllowed } from '../destination-policy.ts';
import { addressText, parseHost } from '../protocol/host.ts';
import { createGuard } from './destination-guard.ts';
import { DialAbort, type Exit } from './exit.ts';

const policy = { isPrivateAllowed: false, isOwnListener: () => false, isReserved: () => false };
const toBytes = (text: string) => {
  const host = parseHost(text);
  return host?.kind === 'address' ? host.bytes : Buffer.alloc(0);
};

/** The addresses to which traffic would be sent for a name that has these, each time that it is resolved. */
async function find(...answers: string[][]): Promise<(string[] | string)[]> {
  const guard = createGuard((address, port) => isDestinationAllowed(policy, address, port));
  const exit = { reaches: () => true, resolve: async () => answers.shift()!.map(toBytes) } as unknown as Exit;
  const host = parseHost('rebinding.example');
  if (!host) throw new Error('no name');
  const found: (string[] | string)[] = [];
  while (answers.length > 0)
    found.push(
      await Promise.resolve(guard.addressesFor(exit, { host, port: 443 }, new DialAbort())).then(
        (addresses) => addresses.map(addressText),
        ({ failure }: { failure: string }) => failure,
      ),
    );
  return found;
}

test('a name that had a public address is checked again each time that it is resolved', async () => {
  expect(await find(['9.9.9.9'], ['192.168.1.1'], ['9.9.9.9'])).toEqual([
    ['9.9.9.9'],
    'destination-prohibited',
    ['9.9.9.9'],
  ]);
});

test('of a name with public and private addresses, in any form, only the public ones are dialled', async () => {
  const inside = ['127.0.0.1', '::1', '::ffff:10.0.0.1', '64:ff9b::10.0.0.1', 'fd00::1', '169.254.169.254'];
  expect(await find([...inside, '9.9.9.9', '2606:4700::1111'], inside)).toEqual([
    ['9.9.9.9', '2606:4700::1111'],
    'destination-prohibited',
  ]);
});
