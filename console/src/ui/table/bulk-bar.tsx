import { useMutation } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import type { IconShape } from '#ui/basic/icon.tsx';
import { formatWhole } from '#ui/format/number.ts';

interface Props {
  count: number;
  total: number;
  /** Selects the rows of all pages. */
  onSelectAll?: (() => Promise<unknown>) | undefined;
  onClear: () => void;
  /** `BulkAction`s. */
  children: ReactNode;
}

/** Replaces the toolbar while rows are selected, without moving the table. */
export function BulkBar({ count, total, onSelectAll, onClear, children }: Props) {
  const { t } = useTranslation('shared');
  const bar = useRef<HTMLDivElement>(null);
  useHeir(bar);
  const selectAll = useMutation({ mutationFn: async () => onSelectAll?.() });
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={t('bulk')}
      className="flex min-h-8.5 flex-wrap items-center gap-x-1 rounded-control bg-accent-soft pr-1 pl-3 text-13 shadow-[0_0_0_1px_var(--color-accent-line)]"
    >
      <span role="status" className="mr-1 font-title tabular-nums">
        {t('selected', { total: formatWhole(count) })}
      </span>
      {children}
      <span className="ml-auto flex items-center">
        {onSelectAll && count < total && (
          <Button variant="ghost" size="sm" busy={selectAll.isPending} onClick={() => selectAll.mutate()}>
            {t('selectAll', { total: formatWhole(total) })}
          </Button>
        )}
        <IconButton label={t('clearSelection')} icon={X} size="sm" onClick={onClear} />
      </span>
    </div>
  );
}

/** When the bar disappears with the focus in it, the focus moves to the table's checkbox. */
function useHeir(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    const around = element?.parentElement;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      queueMicrotask(() => around?.querySelector<HTMLElement>('thead input')?.focus());
    };
  }, [bar]);
}

interface ActionProps {
  icon: IconShape;
  danger?: boolean | undefined;
  busy?: boolean | undefined;
  /** Changes data on the server: disabled while offline. True by default. */
  saves?: boolean | undefined;
  onClick: () => void;
  children: ReactNode;
}

export function BulkAction({ danger, saves = true, ...rest }: ActionProps) {
  return (
    <Button
      {...rest}
      saves={saves}
      variant="ghost"
      size="sm"
      className={cx('text-13!', danger ? 'text-bad! [&_.lucide]:text-bad' : 'text-text!')}
    />
  );
}
