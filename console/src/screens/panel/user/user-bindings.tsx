import type { User } from '@relay-hub/contract';
import { Mail } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '#shared/icon.tsx';
import { identityIcons } from '#shared/identity-icons.ts';
import { Tooltip } from '#shared/tooltip.tsx';
import { boundAccounts, type BoundAccount } from './bound-accounts.ts';

interface Props {
  user: User;
}

const iconOf = ({ at }: BoundAccount) => (at === 'email' ? Mail : identityIcons[at]);

function useTitle(): (account: BoundAccount) => string {
  const { t } = useTranslation(['elsewhere', 'user']);
  return ({ at }) => (at === 'email' ? t('user:email') : t(at));
}

/** A sign for each account that is bound, with its name on hover; the form has them in words. */
export function UserBindings({ user }: Props) {
  const { t } = useTranslation('user');
  const titleOf = useTitle();
  const bound = boundAccounts(user);
  if (bound.length === 0) return <span className="text-text2">{t('boundNone')}</span>;
  return (
    <span className="inline-flex max-w-full gap-1 align-middle">
      {bound.map((account) => {
        const words = `${titleOf(account)}: ${account.name}`;
        return (
          <Tooltip key={account.at} text={words} repeatsName>
            <span
              role="img"
              aria-label={words}
              className="grid size-5 flex-none place-items-center rounded-tile bg-fill text-text2"
            >
              <Icon of={iconOf(account)} size={12} />
            </span>
          </Tooltip>
        );
      })}
    </span>
  );
}

/** The same in words. */
export function UserBindingList({ user }: Props) {
  const { t } = useTranslation('user');
  const titleOf = useTitle();
  const bound = boundAccounts(user);
  return (
    <div className="text-13">
      <p className="font-title">{t('bound')}</p>
      {bound.length === 0 ? (
        <p className="mt-1 text-text2">{t('boundNone')}</p>
      ) : (
        <dl className="mt-1 grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1">
          {bound.map((account) => (
            <div key={account.at} className="contents">
              <dt className="flex items-center gap-2 text-text2">
                <Icon of={iconOf(account)} size={14} />
                {titleOf(account)}
              </dt>
              <dd className="min-w-0 break-all">{account.name}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
