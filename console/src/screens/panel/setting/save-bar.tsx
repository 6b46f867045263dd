import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Kbd } from '#ui/basic/chip.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { Options } from './setting-api.ts';
import type { Drafts } from './use-drafts.ts';
import { isSettingName } from './use-setting-names.ts';

const UnsavedChangesDialog = lazy(async () => ({
  default: (await import('./unsaved-changes-dialog.tsx')).UnsavedChangesDialog,
}));

const shortcut = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘↵' : 'Ctrl ↵';
const NAMED = 2;

interface Props {
  options: Options;
  drafts: Drafts;
  onShow: (key: string) => void;
  onSave: () => void;
}

/** Unsaved changes, at the bottom of the page: review, discard, save. */
export function SaveBar({ options, drafts, onShow, onSave }: Props) {
  const { t } = useTranslation(['setting', 'settingNames', 'shared']);
  const phone = useIsPhone();
  const [reviewing, setReviewing] = useState(false);
  const keys = Object.keys(drafts.values).filter(isSettingName);
  const wrong = Object.keys(drafts.problems);
  const names = keys
    .slice(0, NAMED)
    .map((key) => t(`settingNames:${key}`))
    .join(t('comma'));
  return (
    <div
      role="region"
      aria-label={t('shared:unsaved', { count: keys.length })}
      className="floating sticky bottom-0 z-20 -mx-6 mt-2 -mb-5 flex min-h-16 flex-wrap items-center gap-2 border-t border-line px-6 py-2 shadow-[0_-8px_24px_rgba(16,24,40,.06)] max-sm:-mx-4 max-sm:-mb-3 max-sm:px-4"
    >
      <span aria-hidden className="mr-0.5 size-1.5 rounded-full bg-accent-fill" />
      <span role="status" className="font-title tabular-nums">
        {t('shared:unsaved', { count: keys.length })}
      </span>
      {!phone && (
        <span className="ml-1.5 min-w-0 truncate text-13 text-text2">
          {keys.length > NAMED ? t('unsavedNames', { names }) : names}
        </span>
      )}
      <button
        type="button"
        onClick={() => setReviewing(true)}
        className="touch ml-1.5 text-13 text-accent hover:underline"
      >
        {t('reviewChanges')}
      </button>
      <span className="ml-auto flex items-center gap-2 max-sm:w-full max-sm:*:flex-1">
        {wrong[0] !== undefined && (
          <button
            type="button"
            onClick={() => wrong[0] !== undefined && onShow(wrong[0])}
            className="touch mr-1 flex items-center gap-1.5 text-13 text-bad"
          >
            <Icon of={TriangleAlert} />
            {t('problems', { count: wrong.length })}
          </button>
        )}
        <Button variant="ghost" disabled={drafts.saving} onClick={drafts.discard}>
          {t('discard')}
        </Button>
        <Button variant="primary" busy={drafts.saving} onClick={onSave}>
          {t('shared:save')}
          {!phone && <Kbd onAccent>{shortcut}</Kbd>}
        </Button>
      </span>
      <Suspense>
        {reviewing && <UnsavedChangesDialog {...{ options, drafts, onShow }} onClose={() => setReviewing(false)} />}
      </Suspense>
    </div>
  );
}
