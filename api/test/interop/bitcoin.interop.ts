import { startBitcoin } from '../chains/bcoin.ts';
import { describeWatcher } from '../chains/watcher-contract.ts';

// bcoin has no policy that replaces transactions; litecoind tests the shared code.
describeWatcher('Bitcoin', startBitcoin, ['REPLACEMENTS']);
