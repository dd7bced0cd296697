import { describeWatcher } from '../watcher-contract.ts';
import { startTon, startTonUsdt } from './local-ton.ts';

// Blocks of the masterchain are final, and nothing is reported before it is in one.
describeWatcher('TON', startTon, ['REORGANISATIONS', 'REPLACEMENTS']);
describeWatcher('USDT on TON', startTonUsdt, ['REORGANISATIONS', 'REPLACEMENTS']);
