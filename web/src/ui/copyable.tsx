import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../hooks/use-copy.ts';
import { useHover } from '../hooks/use-hover.ts';
import classes from './copyable.module.css';
import hidden from './visually-hidden.module.css';

interface CopyableProps {
  /** Name of the value; screen readers read both: "Copy Host: 127.0.0.1". */
  name: string;
  value: string;
  /** Wraps a long value, such as a command, instead of truncating it. */
  isWrapped?: boolean;
  /** Replaces the text of the value, such as to highlight parts of it. */
  children?: ReactNode;
}

/** A value that is copied with a click. */
export function Copyable({ name, value, isWrapped = false, children = value }: CopyableProps) {
  const { t } = useTranslation();
  const { isCopied, copy } = useCopy();
  const [isHovered, pointing] = useHover();
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <div className={classes['copyable']}>
      <Tooltip opened={isHovered} label={t(isCopied ? 'copied' : 'copy')} withArrow>
        <UnstyledButton
          {...pointing}
          className={classes['button']}
          data-copied={isCopied}
          aria-label={t('copyOf', { name, value })}
          onClick={() => void copy(value)}
        >
          <code className={classes['value']} data-wrapped={isWrapped}>
            {children}
          </code>
          <Icon className={classes['icon']} size={16} stroke={1.7} aria-hidden="true" />
        </UnstyledButton>
      </Tooltip>
      <output className={hidden['visuallyHidden']}>{isCopied ? t('copied') : ''}</output>
    </div>
  );
}
