import { describeHostileSources } from '../hostile-sources.ts';
import { openTon } from './generated-ton.ts';

describeHostileSources('TON and USDT on TON, whose index lies,', () => openTon('v3'));
describeHostileSources('TON and USDT on TON, whose node lies,', () => openTon('v2'));
