/** Findings of `ChainWatcher.check`. */
import type { SourceFinding } from './watcher.ts';

type Question = Pick<SourceFinding, 'source' | 'need'> & { isRequired?: boolean };

/** @param ask returns a sentence for the operator; what it throws is the finding, too */
export async function find(
  { source, need, isRequired = true }: Question,
  ask: () => Promise<string>,
): Promise<SourceFinding> {
  try {
    return { source, need, isRequired, isOk: true, sentence: await ask() };
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    return { source, need, isRequired, isOk: false, sentence };
  }
}
