import type { User } from '@relay-hub/contract';
import { Mail } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { identityIcons } from '#domain/identity/identity-icons.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { boundAccounts, type BoundAccount } from './bound-accounts.ts';

interface Props {
  user: User;
}

export const boundIcon = ({ at }: BoundAccount) => (at === 'email' ? Mail : identityIcons[at]);

export function useBoundTitle(): (account: BoundAccount) => string {
  const { t } = useTranslation(['elsewhere', 'user']);
  return ({ at }) => (at === 'email' ? t('user:email') : t(at));
}

/** An icon per connected identity, named in its tooltip; the form lists them as text. */
export function UserBindings({ user }: Props) {
  const { t } = useTranslation('user');
  const titleOf = useBoundTitle();
  const bound = boundAccounts(user);
  if (bound.length === 0) return <span className="text-text2">{t('boundNone')}</span>;
  return (
    <span className="inline-flex max-w-full gap-1 align-middle">
      {bound.map((account) => {
        const label = `${titleOf(account)}: ${account.name}`;
        return (
          <Tooltip key={account.at} text={label} repeatsName>
            <span
              role="img"
              aria-label={label}
              className="grid size-5 flex-none place-items-center rounded-tile bg-fill text-text2"
            >
              <Icon of={boundIcon(account)} size={12} />
            </span>
          </Tooltip>
        );
      })}
    </span>
  );
}
