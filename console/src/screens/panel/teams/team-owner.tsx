import type { ManagedTeam } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Chip } from '#ui/basic/chip.tsx';

/** The owner, with a warning if their account cannot sign in. */
export function TeamOwner({ team: { owner, owner_enabled: enabled } }: { team: ManagedTeam }) {
  const { t } = useTranslation('team');
  return (
    <span className="flex min-w-0 items-center justify-end gap-2 sm:justify-start">
      <span className="truncate">{owner || '—'}</span>
      {!enabled && <Chip tone="warn">{t('disabled')}</Chip>}
    </span>
  );
}
