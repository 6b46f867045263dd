import { useEffect, useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import type { PaletteGroup, PaletteItem } from './palette-item.ts';

export const optionId = ({ id }: PaletteItem): string => `palette-${id.replace(/[^\w-]/g, '-')}`;

interface Props {
  groups: PaletteGroup[];
  active: PaletteItem | undefined;
  onPoint: (item: PaletteItem) => void;
  onChoose: (item: PaletteItem) => void;
}

export function PaletteList({ groups, active, onPoint, onChoose }: Props) {
  const { t } = useTranslation('palette');
  const list = useRef<HTMLDivElement>(null);
  const current = active && optionId(active);
  useEffect(() => {
    if (current) list.current?.querySelector(`#${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <div
      ref={list}
      id="palette-list"
      role="listbox"
      aria-label={t('title')}
      className="min-h-0 overflow-y-auto px-1.5 pb-1.5"
    >
      {groups.map((group) => (
        <div key={group.title} role="group" aria-label={group.title}>
          <div aria-hidden className="px-2.5 pt-3 pb-1 text-12 text-text3">
            {group.title}
          </div>
          {group.items.map((item) => (
            <div
              key={item.id}
              id={optionId(item)}
              role="option"
              tabIndex={-1}
              aria-selected={item === active}
              aria-disabled={item.off}
              data-active={item === active || undefined}
              onPointerMove={() => item !== active && onPoint(item)}
              onClick={() => onChoose(item)}
              className={cx(
                'flex h-9 cursor-pointer items-center gap-3 rounded-control px-2.5 aria-disabled:cursor-default aria-disabled:text-text3 max-sm:h-11',
                item === active && 'bg-hover dark:bg-[#222c40]',
              )}
            >
              {item.tile ? (
                <span className="-mx-0.5 flex">{item.tile}</span>
              ) : (
                <Icon of={item.icon} className="text-text2" />
              )}
              <span className="truncate">{item.title}</span>
              {item.note && <span className="max-w-1/2 flex-none truncate text-13 text-text3">{item.note}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
