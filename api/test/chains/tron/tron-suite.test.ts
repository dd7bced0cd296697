import { describeWatcher } from '../watcher-contract.ts';
import { startTronUsdt, startTrx } from './local-tron.ts';

// Nothing waits in a memory pool that a watcher reads.
describeWatcher('TRX', startTrx, ['REPLACEMENTS']);
describeWatcher('USDT on TRON', startTronUsdt, ['REPLACEMENTS']);
