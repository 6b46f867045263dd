import { role, type Self } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { Time } from '#ui/format/time.tsx';

/** Text key of the user's role. */
export const rankOf = ({ role: rank }: Self) => (rank >= role.root ? 'root' : rank >= role.admin ? 'admin' : 'user');

/** Facts the user cannot edit: role, group, account age. */
export function IdentityFacts({ self }: { self: Self }) {
  const { t } = useTranslation('profile');
  const group = useUserGroups()[self.group];
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-13">
      <Fact name={t('role')}>{t(`roles.${rankOf(self)}`)}</Fact>
      <Fact name={t('group')}>{group ? `${group.name} ×${group.ratio}` : self.group}</Fact>
      <Fact name={t('registered')}>
        <Time at={self.created_time} as="date" />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-text2">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
