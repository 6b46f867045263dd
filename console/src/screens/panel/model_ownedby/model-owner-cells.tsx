import { LAST_RESERVED_OWNER, type ModelOwner } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';

export function OwnerName({ owner: { name, icon } }: { owner: ModelOwner }) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <OwnerTile name={name} icon={icon} />
      <span className="min-w-0 truncate">{name}</span>
    </span>
  );
}

export function IconSource({ owner: { id, icon } }: { owner: ModelOwner }) {
  const { t } = useTranslation('modelOwner');
  if (icon === '') return <span className="text-text2">{t('noIcon')}</span>;
  const builtIn = id <= LAST_RESERVED_OWNER && /^[a-z0-9-]+$/.test(icon);
  return (
    <span className="block truncate font-mono text-12 text-text2" title={icon.slice(0, 500)}>
      {builtIn ? t('builtIn') : icon.slice(0, 200)}
    </span>
  );
}
