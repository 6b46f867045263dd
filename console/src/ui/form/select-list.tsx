import { Check } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { popover } from '#ui/overlay/overlay.ts';
import type { SelectOption } from './select.tsx';
import { usePopover } from '#ui/overlay/use-popover.ts';

interface Props<V extends string | number> {
  id: string;
  anchor: RefObject<HTMLElement | null>;
  value: V | null;
  options: readonly SelectOption<V>[];
  searchable: boolean;
  onChoose: (value: V) => void;
  /** Esc and Tab: back to the trigger. */
  onLeave: () => void;
  onOutside: () => void;
}

/** The open list of a `Select`. The focus stays in the search, or on the list; arrows move what is active. */
export function SelectList<V extends string | number>({
  id,
  anchor,
  value,
  options,
  searchable,
  onChoose,
  onLeave,
  onOutside,
}: Props<V>) {
  const { t } = useTranslation('shared');
  const box = useRef<HTMLDivElement>(null);
  usePopover({ box, anchor, align: 'start', onOutside });
  const [sought, setSought] = useState('');
  const shown = options.filter((option) => option.label.toLowerCase().includes(sought.trim().toLowerCase()));
  const [active, setActive] = useState(
    Math.max(
      0,
      options.findIndex((option) => option.value === value),
    ),
  );
  const activeId = shown[active] && `${id}-${active}`;

  useLayoutEffect(
    () => box.current?.querySelector<HTMLElement>('input, [role=listbox]')?.focus({ preventScroll: true }),
    [],
  );
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const last = shown.length - 1;
    const target = {
      ArrowDown: active >= last ? 0 : active + 1,
      ArrowUp: active <= 0 ? last : active - 1,
      PageUp: 0,
      PageDown: last,
    }[event.key];
    const option = shown[active];
    if (target !== undefined) setActive(target);
    else if (event.key === 'Escape' || event.key === 'Tab') onLeave();
    else if (event.key === 'Enter' || (event.key === ' ' && !searchable)) {
      if (option && !option.disabled) onChoose(option.value);
    } else if (!searchable && event.key.length === 1) setActive((now) => startingWith(shown, event.key, now));
    else return;
    // Tab goes on from the trigger.
    if (event.key !== 'Tab') event.preventDefault();
  };
  const search = (text: string) => {
    setSought(text);
    setActive(0);
  };
  return (
    <div ref={box} popover="manual" onKeyDown={onKeyDown} className={cx(popover, 'max-w-[calc(100vw-16px)]')}>
      {searchable && (
        <input
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={activeId}
          aria-label={t('findOption')}
          placeholder={t('findOption')}
          autoComplete="off"
          value={sought}
          onChange={(event) => search(event.target.value)}
          className="box sticky top-0 z-10 mb-1.5 text-13"
        />
      )}
      {shown.length === 0 && <p className="px-2.5 py-2 text-13 text-text3">{t('noOption')}</p>}
      <div
        id={id}
        role="listbox"
        aria-label={t('choose')}
        tabIndex={searchable ? -1 : 0}
        aria-activedescendant={searchable ? undefined : activeId}
        className="outline-none"
      >
        {shown.map((option, index) => (
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={option.value === value}
            aria-disabled={option.disabled}
            data-active={index === active || undefined}
            onPointerMove={() => setActive(index)}
            onClick={() => !option.disabled && onChoose(option.value)}
            className={cx(
              'flex min-h-8.5 cursor-pointer items-center gap-2 rounded-control px-2.5 text-13 select-none max-sm:min-h-11 max-sm:text-14',
              index === active && 'bg-hover shadow-[inset_0_0_0_1px_var(--color-line2)] dark:bg-[#222c40]',
            )}
          >
            {option.tile}
            <span className={cx('min-w-0 flex-1 truncate', option.disabled && 'text-text3')}>{option.label}</span>
            {option.note && <span className="text-12 text-text3">{option.note}</span>}
            <span className="size-4 flex-none">
              {option.value === value && <Icon of={Check} className="text-accent" />}
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

/** The next option after `now` whose label begins with a letter, or `now`. */
function startingWith<V extends string | number>(
  options: readonly SelectOption<V>[],
  letter: string,
  now: number,
): number {
  const begins = (index: number) => options[index]?.label.toLowerCase().startsWith(letter.toLowerCase()) ?? false;
  for (let step = 1; step <= options.length; step++)
    if (begins((now + step) % options.length)) return (now + step) % options.length;
  return now;
}
