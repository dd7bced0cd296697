import { listConnections } from '@cellhop/contract/connections';
import { liveTopics, type LiveTopic } from '@cellhop/contract/live';
import { getConnectionCost, listCharges } from '@cellhop/contract/receipts';
import { listTicketMessages } from '@cellhop/contract/support';
import { listTransactions } from '@cellhop/contract/transactions';
import { getUsage } from '@cellhop/contract/usage';
import { getProfile } from '@cellhop/contract/users';
import { describe, expect, it } from 'vitest';
import { screens, watched } from './screens.ts';

function topicsBehind(url: string): LiveTopic[] {
  return watched.filter(({ isMeant }) => isMeant(url)).flatMap(({ topics }) => topics);
}

describe('watched', () => {
  it('lets the balance, the statement and the bills follow a transfer', () => {
    for (const { url } of [getProfile, listTransactions, getUsage, listCharges, getConnectionCost])
      expect(topicsBehind(url)).toContain('balance');
  });

  it('lets the list, the charts and the receipt follow traffic, and the statement not', () => {
    for (const { url } of [listConnections, getUsage, listCharges, getConnectionCost])
      expect(topicsBehind(url)).toContain('connections');
    expect(topicsBehind(listTransactions.url)).not.toContain('connections');
  });

  it('lets the messages of every ticket follow', () => {
    expect(topicsBehind(listTicketMessages.url)).toEqual(['tickets']);
  });

  it('has something to ask for behind every topic', () => {
    for (const topic of liveTopics) expect(watched.some(({ topics }) => topics.includes(topic))).toBe(true);
  });
});

it('names each path and each page once', () => {
  for (const values of [screens.map(({ path }) => path), screens.map(({ name }) => name)])
    expect(new Set(values).size).toBe(values.length);
});
