import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './filter-toggle.module.css';

interface FilterToggleProps {
  isOpen: boolean;
  /** The id of the fields. */
  fieldsId: string;
  /** How many filters are set. */
  count: number;
  onToggle: () => void;
}

/** On phones the fields of a filter are behind this button; its place hides it on wider screens. */
export function FilterToggle({ isOpen, fieldsId, count, onToggle }: FilterToggleProps) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className={classes['toggle']}
      aria-expanded={isOpen}
      aria-controls={fieldsId}
      onClick={onToggle}
    >
      <IconAdjustmentsHorizontal size={18} aria-hidden="true" />
      {count === 0 ? t('filters.show') : t('filters.showChosen', { count })}
    </button>
  );
}
