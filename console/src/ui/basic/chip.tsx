import { TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { Icon, type IconShape } from './icon.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

const tones = {
  neutral: 'bg-fill text-text2',
  outline: 'text-text2 shadow-[inset_0_0_0_1px_var(--color-line2)]',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  ice: 'bg-ice-soft text-ice',
};

export type ChipTone = keyof typeof tones;

/** A short fact in a pill: "vip ×0.8", "2 attempts". */
export function Chip({ tone = 'neutral', icon, children }: { tone?: ChipTone; icon?: IconShape; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex h-5.5 max-w-full items-center gap-1 rounded-full px-2 text-12 whitespace-nowrap',
        tones[tone],
      )}
    >
      {icon && <Icon of={icon} size={14} />}
      <span className="truncate">{children}</span>
    </span>
  );
}

/** A warning about one of several values. */
export interface ValueWarning {
  tone: 'warn' | 'bad';
  text: string;
}

interface ValueChipProps {
  /** Accessible name of the remove button. */
  label: string;
  mark?: ValueWarning | undefined;
  onRemove?: (() => void) | undefined;
  children: ReactNode;
}

/** One of several chosen values, with a button to remove it. */
export function ValueChip({ label, mark, onRemove, children }: ValueChipProps) {
  return (
    <span
      className={cx(
        'inline-flex h-6 max-w-full items-center gap-1 rounded-tile pl-2 text-12 max-sm:h-8 max-sm:text-13',
        mark ? tones[mark.tone] : 'bg-fill text-text',
      )}
    >
      <Tooltip text={mark?.text} repeatsName>
        <span className={cx('inline-flex min-w-0 items-center gap-1', !onRemove && 'pr-2')}>
          {mark && <Icon of={TriangleAlert} size={12} />}
          <span className="truncate">{children}</span>
          {mark && <span className="sr-only"> ({mark.text})</span>}
        </span>
      </Tooltip>
      {onRemove && (
        <button
          type="button"
          aria-label={label}
          onClick={onRemove}
          className={cx(
            'touch grid size-6 flex-none place-items-center rounded-tile hover:text-text max-sm:size-8',
            !mark && 'text-text2',
          )}
        >
          <Icon of={X} size={12} />
        </button>
      )}
    </span>
  );
}

/** A keyboard key. */
export function Kbd({
  onAccent = false,
  className,
  children,
}: {
  onAccent?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const look = onAccent ? 'border-on-accent/45 text-on-accent' : 'border-line2 text-text3';
  return (
    <kbd
      className={cx(
        'rounded-[calc(var(--radius-tile)-1px)] border px-1.5 font-sans text-11 font-medium',
        look,
        className,
      )}
    >
      {children}
    </kbd>
  );
}
