import { Popover as Base } from '@base-ui/react/popover';
import { memo, useEffect, useState, type RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { landmarkOf, popover, withoutGuards } from '#ui/overlay/overlay.ts';
import type { FilterSuggestion } from './suggest-filters.ts';
import { filterTexts } from '#screens/panel/log/use-log-filters.ts';

interface Props {
  id: string;
  anchor: RefObject<HTMLElement | null>;
  choices: readonly FilterSuggestion[];
  active: number;
  onActive: (index: number) => void;
  onChoose: (choice: FilterSuggestion) => void;
  onOutside: () => void;
}

/**
 * The filters that the typed text may stand for. Focus stays in the field. Memoized: typing alone must not redraw it.
 */
export const LogSuggestions = memo(function LogSuggestions(props: Props) {
  const { id, anchor, choices, active, onActive, onChoose, onOutside } = props;
  const { t } = useTranslation('log');
  const [landmark] = useState(() => landmarkOf(anchor.current));
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  return (
    <span className={`contents ${withoutGuards}`}>
      <Base.Root
        open
        onOpenChange={(_, { event }) => {
          const pressed = event.target;
          if (!(pressed instanceof Node && anchor.current?.contains(pressed))) onOutside();
        }}
      >
        <Base.Portal container={landmark} className="contents">
          <Base.Positioner
            anchor={anchor}
            align="start"
            sideOffset={6}
            collisionPadding={8}
            className={`z-60 ${withoutGuards}`}
          >
            <Base.Popup
              role="presentation"
              initialFocus={false}
              finalFocus={false}
              className={cx(popover, 'max-w-[min(420px,calc(100vw-16px))]')}
            >
              <div id={id} role="listbox" aria-label={t('findIn')}>
                {choices.map((choice, index) => (
                  <div
                    // By index: most labels contain the typed text, so keys by label would remount every item on each
                    // keystroke.
                    key={index}
                    id={`${id}-${index}`}
                    role="option"
                    aria-selected={index === active}
                    onPointerMove={() => onActive(index)}
                    onPointerDown={(event) => event.preventDefault()}
                    onClick={() => onChoose(choice)}
                    className={cx(
                      'flex min-h-8.5 cursor-pointer items-center gap-1.5 rounded-control px-2.5 text-13 select-none max-sm:min-h-11 max-sm:text-14',
                      index === active && 'bg-hover shadow-[inset_0_0_0_1px_var(--color-line2)] dark:bg-fill',
                    )}
                  >
                    <span className="flex-none text-text2">{t('findBy', { name: t(filterTexts[choice.filter]) })}</span>
                    <span className="min-w-0 flex-1 truncate font-title">{choice.label}</span>
                  </div>
                ))}
              </div>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </span>
  );
});
