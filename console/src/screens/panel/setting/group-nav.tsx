import { useEffect, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import type { SettingGroup } from './setting-groups.ts';
import type { Drafts } from './use-drafts.ts';

interface Props {
  groups: readonly SettingGroup[];
  drafts: Drafts;
}

/** Links to a tab's groups, marking those with unsaved changes. */
export function GroupNav({ groups, drafts }: Props) {
  const { t } = useTranslation('setting');
  const seen = useGroupInView(groups);
  return (
    <nav aria-label={t('groupsLabel')} className="sticky top-19 text-13">
      {groups.map(({ id, fields }) => {
        const count = fields.filter(({ key }) => key in drafts.values).length;
        const current = id === seen;
        return (
          <button
            key={id}
            type="button"
            aria-current={current ? 'location' : undefined}
            onClick={() => document.getElementById(`group-${id}`)?.scrollIntoView({ block: 'start' })}
            className={cx(
              'mb-px flex h-8.5 w-full items-center gap-2 rounded-control px-2.5 text-left',
              current ? 'bg-fill font-title text-text' : 'text-text2 hover:bg-hover hover:text-text',
            )}
          >
            <span className="min-w-0 flex-1 truncate">{t(`groups.${id}`)}</span>
            {count > 0 && (
              <span className="text-12 text-accent tabular-nums">
                {count}
                <span className="sr-only"> {t('changed')}</span>
              </span>
            )}
          </button>
        );
      })}
    </nav>
  );
}

const TOP_BAR = 96;

/** The group at the top of the viewport. */
function useGroupInView(groups: readonly SettingGroup[]): string | undefined {
  const [seen, setSeen] = useState<string>();
  useEffect(() => {
    const look = () => {
      const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
      const passed = groups.filter(
        ({ id }) => (document.getElementById(`group-${id}`)?.getBoundingClientRect().top ?? Infinity) <= TOP_BAR,
      );
      setSeen((atEnd && scrollY > 0 ? groups : passed).at(-1)?.id ?? groups[0]?.id);
    };
    look();
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, [groups]);
  return seen;
}
