import { useMutation } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import type { IconShape } from '#ui/basic/icon.tsx';
import { formatWhole } from '#ui/format/number.ts';

interface Props {
  count: number;
  total: number;
  /** Selects what is on other pages too. */
  onSelectAll?: (() => Promise<unknown>) | undefined;
  onClear: () => void;
  /** `BulkAction`s. */
  children: ReactNode;
}

/** Takes the toolbar's place while rows are selected, so that nothing moves. */
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

/** Where the bar goes with the focus in it, the table's own checkbox has it then. */
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
  /** Changes the rows on the server, so it is off while that is away; true unless told otherwise. */
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
