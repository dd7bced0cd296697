import classes from './status-badge.module.css';

export type Tone = 'good' | 'neutral' | 'warning' | 'bad';

export function StatusBadge({ tone, text }: { tone: Tone; text: string }) {
  return (
    <span className={classes['badge']} data-tone={tone}>
      {text}
    </span>
  );
}
