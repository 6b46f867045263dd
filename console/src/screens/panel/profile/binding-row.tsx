import type { IdentityProvider, OwnIdentity } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { identityIcons } from '#domain/identity/identity-icons.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';

interface Props {
  provider: IdentityProvider;
  /** The connected identity; undefined if none, or while loading. */
  identity: OwnIdentity | undefined;
  known: boolean;
  busy: boolean;
  onBind: () => void;
  onUnbind: (identity: OwnIdentity) => void;
}

/** A provider with the connected identity, or a button to connect. */
export function BindingRow({ provider, identity, known, busy, onBind, onUnbind }: Props) {
  const { t } = useTranslation('elsewhere');
  const name = t(provider);
  return (
    <li className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <span className="grid size-7 flex-none place-items-center rounded-tile bg-fill text-text2">
        <Icon of={identityIcons[provider]} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="truncate">{name}</div>
        <div className="truncate text-13 text-text2">
          {known ? (identity?.name ?? t('notBound')) : <Skeleton width={90} />}
          {identity?.last_way_in && ` · ${t('onlyWay')}`}
        </div>
      </div>
      {identity && (
        <span className="text-13 text-text2 max-sm:hidden">
          <Time at={identity.created_time} as="date" />
        </span>
      )}
      {identity
        ? !identity.last_way_in && (
            <Button size="sm" aria-label={t('unbindOf', { provider: name })} onClick={() => onUnbind(identity)}>
              {t('unbind')}
            </Button>
          )
        : known && (
            <Button size="sm" busy={busy} aria-label={t('bindOf', { provider: name })} onClick={onBind}>
              {t('bind')}
            </Button>
          )}
    </li>
  );
}
