import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { Badge } from './badge.tsx';
import { cx } from './cx.ts';

export interface Tab<V extends string> {
  value: V;
  label: ReactNode;
  badge?: ReactNode;
}

interface Props<V extends string> {
  /** Accessible name of the list of tabs. */
  label: string;
  /** Joins each tab to its panel: tab `<id>-<value>`, panel `<id>-<value>-panel`. */
  id: string;
  /** Undefined if none is selected, e.g. while a search covers all tabs. */
  value: V | undefined;
  tabs: readonly Tab<V>[];
  onChange: (value: V) => void;
  /** At the right end of the line. */
  children?: ReactNode;
  className?: string | undefined;
}

/**
 * A tab list; arrow keys move and select. Put the content of a tab into a `TabPanel`. Not Base UI's tabs: while none is
 * selected, the Tab key must not select one, but arrow keys must.
 */
export function Tabs<V extends string>({ label, id, value, tabs, onChange, children, className }: Props<V>) {
  const list = useRef<HTMLDivElement>(null);
  const reachable = value ?? tabs[0]?.value;
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.value === reachable);
    const next = tabs.at(step(event.key, at, tabs.length));
    if (!next || !(event.key in steps)) return;
    event.preventDefault();
    onChange(next.value);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${next.value}`)}`)?.focus();
  };
  return (
    <div className={cx('flex items-center border-b border-line', className)}>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className="-mb-px flex min-w-0 gap-5 overflow-x-auto [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            aria-controls={`${id}-${tab.value}-panel`}
            aria-selected={tab.value === value}
            tabIndex={tab.value === reachable ? 0 : -1}
            onClick={() => onChange(tab.value)}
            className={cx(
              'flex h-10 flex-none items-center gap-1.5 border-b-2 whitespace-nowrap transition-colors focus-visible:-outline-offset-2',
              tab.value === value
                ? 'border-accent font-title text-text'
                : 'border-transparent text-text2 hover:text-text',
            )}
          >
            {tab.label}
            {tab.badge !== undefined && <Badge>{tab.badge}</Badge>}
          </button>
        ))}
      </div>
      {children && <div className="ml-auto flex items-center gap-2 pl-4">{children}</div>}
    </div>
  );
}

/** The content of one tab; render only that of the selected tab. */
export function TabPanel({
  id,
  value,
  className,
  children,
}: {
  id: string;
  value: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div
      role="tabpanel"
      id={`${id}-${value}-panel`}
      aria-labelledby={`${id}-${value}`}
      tabIndex={-1}
      className={cx('outline-none', className)}
    >
      {children}
    </div>
  );
}

const steps = { ArrowRight: 1, ArrowLeft: -1, Home: 0, End: 0 };

function step(key: string, at: number, count: number): number {
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return (at + (key === 'ArrowRight' ? 1 : -1) + count) % count;
}
