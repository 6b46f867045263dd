import type { newModelOwner } from '@relay-hub/contract';
import { useEffect, useState } from 'react';
import { useWatch, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import type * as z from 'zod/mini';
import { Mark } from '#ui/basic/mark.tsx';
import { markNames } from '#ui/basic/mark-names.ts';
import { Note } from '#ui/feedback/note.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';

type Values = z.input<typeof newModelOwner>;

interface Props {
  control: Control<Values, unknown, z.output<typeof newModelOwner>>;
  onChoose: (icon: string) => void;
}

/** The built-in icons, a preview of the owner in both themes, and whether its icon can be loaded. */
export function IconPreview({ control, onChoose }: Props) {
  const { t } = useTranslation('modelOwner');
  const [name, icon] = useWatch({ control, name: ['name', 'icon'] });
  const broken = useBroken(icon ?? '');
  // Only dark colours can be nested in the other theme.
  const themes =
    document.documentElement.dataset['theme'] === 'dark' ? (['dark'] as const) : (['light', 'dark'] as const);
  return (
    <div>
      <div
        role="group"
        aria-label={t('marks')}
        className="mb-4 grid max-h-38 grid-cols-[repeat(auto-fill,minmax(36px,1fr))] gap-1 overflow-y-auto rounded-control border border-line p-1.5"
      >
        {[...markNames].map((mark) => (
          <button
            key={mark}
            type="button"
            aria-label={mark}
            title={mark}
            aria-pressed={icon === mark}
            className="grid place-items-center rounded-control py-1 -outline-offset-2 hover:bg-hover aria-pressed:bg-accent-soft"
            onClick={() => onChoose(mark)}
          >
            <Mark name={mark} mark={mark} />
          </button>
        ))}
      </div>
      {broken && (
        <div className="mb-4">
          <Note tone="warn" live>
            {t('iconBroken')}
          </Note>
        </div>
      )}
      <p className="mb-1.5 text-13 font-title">{t('looks')}</p>
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        {themes.map((theme) => (
          <div
            key={theme}
            data-theme={theme}
            aria-label={t(theme)}
            role="group"
            className="flex items-center gap-2.5 rounded-control border border-line bg-card px-3.5 py-2.5 text-text"
          >
            <OwnerTile name={name || '?'} icon={icon} unsaved />
            <span className="grid min-w-0 text-13/4.5">
              <span className="truncate">{t('example')}</span>
              <span className="truncate text-12 text-text2">{name || '–'}</span>
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

/** Whether an icon's address fails to load. */
function useBroken(icon: string): boolean {
  const [broken, setBroken] = useState('');
  useEffect(() => {
    if (!/^(https?:\/\/.|\/[^/])/.test(icon)) return undefined;
    const picture = new Image();
    const timer = setTimeout(() => {
      picture.addEventListener('error', () => setBroken(icon));
      picture.referrerPolicy = 'no-referrer';
      picture.src = icon;
    }, 400);
    return () => {
      clearTimeout(timer);
      picture.src = '';
    };
  }, [icon]);
  return icon !== '' && broken === icon;
}
