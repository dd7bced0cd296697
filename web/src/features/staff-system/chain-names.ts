import { addressSpaces, chainNames, chains } from '@cellhop/contract/chains';
import { oneOf } from '../../loading/search-values.ts';

/** Newer releases may have chains that this one does not know: they are shown as they are stored. */
export function nameOfChain(chain: string): string {
  const known = oneOf(chain, chains);
  return known === undefined ? chain : chainNames[known];
}

/** The chains that share its addresses. */
export function nameOfSpace(space: string): string {
  const names = chains.filter((chain) => addressSpaces[chain] === space).map(nameOfChain);
  return names.length === 0 ? space : names.join(', ');
}
