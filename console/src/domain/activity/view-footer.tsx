import { Link } from '@tanstack/react-router';
import { List, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import type { LogFilter } from './last-failures.tsx';

interface Props {
  log: LogFilter;
  /** Undefined: the record cannot be edited here. */
  onEdit?: (() => void) | undefined;
  /** Other actions, before Edit. */
  children?: ReactNode;
}

/** The calls of a record at the left, its actions at the right; Edit leads to the form. */
export function ViewFooter({ log, onEdit, children }: Props) {
  const { t } = useTranslation('activity');
  return (
    <>
      <Button
        variant="ghost"
        icon={List}
        className="mr-auto -ml-3 max-sm:mr-0 max-sm:ml-0 max-sm:border-line2"
        render={<Link to="/panel/log" search={log} />}
      >
        {t('showCalls')}
      </Button>
      {children}
      {onEdit && (
        <Button variant="primary" icon={Pencil} saves={false} onClick={onEdit}>
          {t('edit')}
        </Button>
      )}
    </>
  );
}
